import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { read } from '#src/database/transact.ts';
import type { Fault } from '#src/dev/simulators/stripe/api/faults.ts';
import { type StripeControl, stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import { type CheckoutInput, createCheckoutSession } from '#src/domain/checkout/index.ts';
import { replaceWebhookEndpoint } from '#src/domain/payments/endpoint/webhook-endpoint.ts';
import { manageSubscription, requestRefund, sweepStoreEvents } from '#src/domain/payments/index.ts';
import { readRefund } from '#src/domain/payments/refunds/refund.ts';
import type { PaymentGateway } from '#src/domain/ports/payment-gateway.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { createStripePaymentGateway } from '#src/providers/stripe/payment-gateway.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { type BuiltAccount, buildPaymentAccount, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { shopper } from '#test/support/use-stripe.ts';

/*
 * Every failure of the provider, for each call that has an effect. The caller gets a prompt error, holds are released
 * exactly when it is certain that they cannot be paid, and once the provider works again the effect has happened once.
 */

interface ProviderFailureReport {
  readonly fault: Omit<Fault, 'match' | 'account'> | 'nobody_listens';
  /** Whether the effect may have happened. */
  readonly isCertain: boolean;
  /** Whether the provider returns the failure again for the same key, which a checkout takes a second order for. */
  readonly isStored?: boolean;
  /** The maximum number of requests before the error. The SDK repeats a request after a lost connection. */
  readonly callCountMax: number;
  readonly code: string;
}

const away = 'payment_provider_unavailable';
const failures: Readonly<Record<string, ProviderFailureReport>> = {
  'answers 500 after it acted': {
    fault: { kind: 'status', status: 500, after: true, times: 9 },
    isCertain: false,
    callCountMax: 2,
    code: away,
  },
  'answers 500 and does nothing': {
    fault: { kind: 'status', status: 500, times: 9 },
    isCertain: false,
    isStored: true,
    callCountMax: 4,
    code: away,
  },
  'times out after it acted': {
    fault: { kind: 'hang', after: true, times: 9 },
    isCertain: false,
    callCountMax: 2,
    code: away,
  },
  'cuts the line after it acted': {
    fault: { kind: 'reset_after', times: 9 },
    isCertain: false,
    callCountMax: 4,
    code: away,
  },
  'asks to come back later': {
    fault: { kind: 'status', status: 429, retry_after: 3, times: 9 },
    isCertain: true,
    callCountMax: 1,
    code: away,
  },
  'has revoked the key': {
    fault: { kind: 'status', status: 401, times: 9 },
    isCertain: true,
    callCountMax: 1,
    code: 'payment_provider_not_configured',
  },
  'cannot be connected to': { fault: 'nobody_listens', isCertain: true, callCountMax: 0, code: away },
};

interface ProviderFailureContext extends TestContext {
  account: BuiltAccount;
}

const test = anyTest as TestFn<ProviderFailureContext>;
let clock: TestContext['clock'] | undefined;
const simulator = await startStripeSimulator({ now: () => (clock?.now() ?? new Date()).getTime(), seed: 9 });
const stripe: StripeControl = stripeControl(simulator.url);
const gatewayTo = (apiBase: string, tryMs?: number) =>
  createStripePaymentGateway({
    log: silentLog,
    breaker: new CircuitBreaker({ openMs: 1, failures: 5 }),
    apiBase,
    tryMs,
  });
/** A missing response is waited for less than eight seconds; otherwise a busy machine may be slow. */
const [reachable, withTimeout, unreachable] = [
  gatewayTo(simulator.url),
  gatewayTo(simulator.url, 250),
  gatewayTo('http://127.0.0.1:9'),
];
let payments: PaymentGateway = reachable;
useContext(test as unknown as TestFn<TestContext>, {
  ports: { payments: new Proxy(reachable, { get: (_target, name) => payments[name as keyof PaymentGateway] }) },
});
test.after.always(() => simulator.close());
test.serial.beforeEach(async (t) => {
  ({ clock } = t.context);
  t.context.account = await buildPaymentAccount(t.context.ctx);
});

/** The same for every failure, for the calls that match. */
function forEachProviderFailure(
  title: string,
  match: string,
  check: (t: ExecutionContext<ProviderFailureContext>, failure: ProviderFailureReport, befall: Befall) => Promise<void>,
): void {
  for (const [name, failure] of Object.entries(failures)) {
    test.serial(`${title} while the provider ${name}`, async (t) => {
      const { fault } = failure;
      const callCount = async () => (await stripe.requests(match)).length;
      await check(t, failure, async (work) => {
        if (fault === 'nobody_listens') payments = unreachable;
        else await stripe.addFault({ ...fault, match });
        if (fault !== 'nobody_listens' && fault.kind === 'hang') payments = withTimeout;
        const requestedBefore = await callCount();
        try {
          return await work();
        } finally {
          t.true(
            (await callCount()) - requestedBefore <= failure.callCountMax,
            'a waiting shopper gets the error promptly',
          );
          payments = reachable;
          await stripe.clearFaults();
        }
      });
    });
  }
}

/** Do something while the failure lasts. */
type Befall = <Result>(work: () => Promise<Result>) => Promise<Result>;

async function errorOf(
  t: ExecutionContext<ProviderFailureContext>,
  work: Promise<unknown>,
  { code }: ProviderFailureReport,
): Promise<void> {
  const error = await t.throwsAsync(work, { instanceOf: DomainError });
  t.is(error?.code, code);
  t.is(error?.retryAfterSeconds !== undefined, code === away, 'a retryable error says when to retry');
}

const atProvider = ({ account }: ProviderFailureContext) => stripe.account(account.secretKey);
const open = async (context: ProviderFailureContext) =>
  (await atProvider(context)).sessions.filter(({ status }) => status === 'open');

/** Without an operator: the enqueued jobs run again and again. */
async function waitAWhile({ services, clock }: ProviderFailureContext): Promise<void> {
  for (let time = 0; time < 4; time += 1) {
    clock.pass(35_000);
    await runJobs(services);
  }
}

forEachProviderFailure(
  'createCheckoutSession releases its holds exactly when no session can be paid',
  'POST /v1/checkout/sessions',
  async (t, failure, befall) => {
    const { ctx } = t.context;
    const bowl = await buildProduct(ctx, { variants: [{ stock: 1 }] });
    const buy = () =>
      createCheckoutSession(ctx, { items: [{ product_slug: bowl.slug, quantity: 1 }] }, { requestKey: 'click' });
    await befall(() => errorOf(t, buy(), failure));
    const { isCertain, isStored } = failure;
    const statuses = async () => (await ordersOf(ctx)).map(({ status }) => status);
    t.deepEqual(await statuses(), isStored ? ['expired', 'expired'] : [isCertain ? 'canceled' : 'pending']);
    t.is((await stockOf(ctx, bowl.variant.id)).held, isCertain || isStored ? 0 : 1);

    t.context.clock.pass(minutes(10));
    await waitAWhile(t.context);
    t.deepEqual(await statuses(), isStored ? ['expired', 'expired'] : [isCertain ? 'canceled' : 'expired']);
    t.deepEqual([(await open(t.context)).length, (await stockOf(ctx, bowl.variant.id)).held], [0, 0]);
    await buy();
    t.is((await open(t.context)).length, 1);
    t.is((await ordersOf(ctx)).filter(({ status }) => status === 'pending').length, 1);
    t.is((await stockOf(ctx, bowl.variant.id)).held, 1);
  },
);

forEachProviderFailure(
  'createCheckoutSession with a discount releases its holds exactly when no session can be paid',
  'POST /v1/coupons',
  async (t, failure, befall) => {
    const { ctx } = t.context;
    const bowl = await buildProduct(ctx, { variants: [{ stock: 1 }] });
    const promo = await buildPromo(ctx);
    const buy = () =>
      createCheckoutSession(ctx, { items: [{ product_slug: bowl.slug, quantity: 1 }], promo_code: promo.code });
    await befall(() => errorOf(t, buy(), failure));
    t.deepEqual(
      (await ordersOf(ctx)).map(({ status }) => status),
      failure.isStored ? ['expired', 'expired'] : ['canceled'],
      'without its discount no session was asked for',
    );
    t.deepEqual([(await stockOf(ctx, bowl.variant.id)).held, await usesOf(ctx, promo.id)], [0, { held: 0, used: 0 }]);
    await waitAWhile(t.context);
    t.is((await atProvider(t.context)).sessions.length, 0);
    await buy();
    t.is((await open(t.context)).length, 1);
  },
);

const beansOf = (ctx: TestContext['ctx']) =>
  buildProduct(ctx, {
    purchase_types: ['subscription'],
    subscription_intervals: ['month'],
    variants: [{ stock: 1, ships: false }],
  });
const subscription = { quantity: 1, purchase_type: 'subscription', subscription_interval: 'month' } as const;

forEachProviderFailure(
  'createCheckoutSession creates one customer',
  'POST /v1/customers',
  async (t, failure, befall) => {
    const { ctx } = t.context;
    const beans = await beansOf(ctx);
    const input: CheckoutInput = {
      items: [{ ...subscription, product_slug: beans.slug, variant_id: beans.variant.id }],
      customer_email: 'ada@example.com',
    };
    await befall(() => errorOf(t, createCheckoutSession(ctx, input), failure));
    t.deepEqual(await ordersOf(ctx), [], 'nothing was begun');
    t.is((await stockOf(ctx, beans.variant.id)).held, 0);
    t.context.clock.pass(minutes(6));
    await createCheckoutSession(ctx, input);
    t.is((await atProvider(t.context)).customers.length, 1);
    t.is((await open(t.context)).length, 1);
  },
);

async function subscribe({ ctx, services }: ProviderFailureContext) {
  const beans = await beansOf(ctx);
  const items = [{ ...subscription, product_slug: beans.slug, variant_id: beans.variant.id }];
  const { order_id: orderId } = await createCheckoutSession(ctx, { items, customer_email: 'ada@example.com' });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await sweepStoreEvents(ctx);
  await runJobs(services);
  return { orderId, subscription: (await subscriptionsOf(ctx))[0] ?? { id: '', paymentSubscriptionId: '' } };
}

forEachProviderFailure('manageSubscription changes once', 'POST /v1/subscriptions/*', async (t, failure, befall) => {
  const { ctx } = t.context;
  const {
    subscription: { id, paymentSubscriptionId },
  } = await subscribe(t.context);
  await befall(() => errorOf(t, manageSubscription(ctx, id, { action: 'cancel' }), failure));
  t.context.clock.pass(minutes(6));
  t.like(await manageSubscription(ctx, id, { action: 'cancel' }), { status: 'active', cancel_at_period_end: true });
  t.like(
    (await atProvider(t.context)).subscriptions,
    only({ id: paymentSubscriptionId, cancel_at_period_end: true, status: 'active' }),
  );
});

forEachProviderFailure('manageSubscription pauses once', 'POST /v1/subscriptions/*', async (t, failure, befall) => {
  const { ctx } = t.context;
  const { id } = (await subscribe(t.context)).subscription;
  await befall(() => errorOf(t, manageSubscription(ctx, id, { action: 'pause' }), failure));
  t.context.clock.pass(minutes(6));
  t.like(await manageSubscription(ctx, id, { action: 'pause' }), { status: 'paused' });
});

forEachProviderFailure('manageSubscription pauses again', 'POST /v1/subscriptions/*', async (t, failure, befall) => {
  const { ctx } = t.context;
  const { id } = (await subscribe(t.context)).subscription;
  await befall(() => errorOf(t, manageSubscription(ctx, id, { action: 'pause' }), failure));
  t.like(await manageSubscription(ctx, id, { action: 'resume' }), { status: 'active' });
  t.like(await manageSubscription(ctx, id, { action: 'pause' }), { status: 'paused' });
});

forEachProviderFailure('manageSubscription resumes once', 'POST /v1/subscriptions/*', async (t, failure, befall) => {
  const { ctx } = t.context;
  const { id } = (await subscribe(t.context)).subscription;
  await manageSubscription(ctx, id, { action: 'pause' });
  await befall(() => errorOf(t, manageSubscription(ctx, id, { action: 'resume' }), failure));
  t.context.clock.pass(minutes(6));
  t.like(await manageSubscription(ctx, id, { action: 'resume' }), { status: 'active' });
});

forEachProviderFailure('issueRefund refunds once', 'POST /v1/refunds', async (t, _failure, befall) => {
  const { ctx, services, clock } = t.context;
  const { orderId } = await subscribe(t.context);
  const { id } = await requestRefund(ctx, { orderId, amountCents: 1000 });
  await befall(() => runJobs(services));
  t.like(await readRefund(ctx, id), { state: 'requested' });
  for (let time = 0; time < 15; time += 1) {
    clock.pass(minutes(31));
    await runJobs(services);
  }
  t.like(await readRefund(ctx, id), { state: 'sent' });
  t.is((await atProvider(t.context)).refunds.length, 1);
  t.like((await ordersOf(ctx))[0], { status: 'partially_refunded', refundedCents: 1000 });
});

forEachProviderFailure(
  'replaceWebhookEndpoint creates one endpoint',
  'POST /v1/webhook_endpoints',
  async (t, failure, befall) => {
    const { ctx, clock } = t.context;
    const replace = (name: string) => replaceWebhookEndpoint(ctx, { name });
    await befall(() => errorOf(t, replace('first'), failure));
    // A response of 500 is stored under its key, so the owner begins another replacement, later than a secret is stored.
    clock.pass(minutes(11));
    const made = await replace('first').catch(() => replace('second'));
    const endpoints = (await atProvider(t.context)).webhook_endpoints;
    t.deepEqual(
      endpoints.filter(({ status }) => status === 'enabled').map(({ id }) => id),
      [made.endpointId],
    );
    const stored = await read<{ id: string | null }>(
      ctx,
      sql`
    select provider_endpoint_id as id from payment_webhook_secrets where tenant_id = ${ctx.tenant.id}
      and state = 'current'`,
    );
    t.deepEqual(stored, [{ id: made.endpointId }]);
  },
);

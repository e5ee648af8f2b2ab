import { reportStoreDrift, scanEventGap } from '#jobs/payments.ts';
import { transact } from '#src/database/transact.ts';
import { signatureHeader } from '#src/dev/simulators/stripe/webhooks/delivery.ts';
import { type CheckoutInput, createCheckoutSession } from '#src/domain/checkout/index.ts';
import { acceptPaymentEvent, requestRefund, savePaymentAccount, sweepStoreEvents } from '#src/domain/payments/index.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { type BuiltProduct, buildProduct } from '#test/support/factories/catalog.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { sessionOf } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import type { AuditedStore } from '#test/support/money-books.ts';
import { shopper } from '#test/support/use-stripe.ts';
import { canBePaidOnce, isDriftReported, isGapClosed, isPaidOnce, isRefundedOnce, isRenewedOnce } from './findings.ts';
import type { KillFixture, Task } from './kill-fixture.ts';

/** A customer with a checkout that holds stock, a promo code and a gift card, and has a partner's code. */
export interface Customer {
  readonly email: string;
  readonly product: BuiltProduct;
  readonly promo: { readonly id: string };
  readonly card: { readonly id: string };
  readonly input: CheckoutInput;
  readonly requestKey: string;
  /** What the rules of money are held to. */
  readonly store: AuditedStore;
}

/** An operation in which a process is killed, and the invariants after the recovery. */
export interface Scenario {
  /** The preparation; returns the task. */
  prepare(fixture: KillFixture, customer: Customer): Promise<Task>;
  /** The violated invariants afterwards. */
  findings(fixture: KillFixture, customer: Customer): Promise<string[]>;
}

const stock = 5;
const balanceCents = 1000;

export async function newCustomer({ ctx, stripe, account }: KillFixture): Promise<Customer> {
  const [product, beans, promo, card, partner] = await Promise.all([
    buildProduct(ctx, { variants: [{ stock }] }),
    buildProduct(ctx, {
      purchase_types: ['subscription'],
      subscription_intervals: ['month'],
      variants: [{ stock }],
    }),
    buildPromo(ctx, { usage_limit: 5 }),
    buildGiftCard(ctx, { balanceCents }),
    buildPartner(ctx, { commission_percent: 7.5 }),
  ]);
  const email = 'ada@example.com';
  const subscription = {
    product_slug: beans.slug,
    variant_id: beans.variant.id,
    quantity: 1,
    purchase_type: 'subscription',
    subscription_interval: 'month',
  } as const;
  return {
    email,
    product,
    promo,
    card,
    requestKey: 'a request',
    store: {
      ctx,
      currency: ctx.tenant.currency,
      cards: [{ issuedCents: balanceCents }],
      stocked: new Map([product, beans].map(({ variant }) => [variant.id, stock])),
      returnedByDefault: new Set(),
      partnerCode: partner.code,
      now: () => ctx.clock.now(),
      provider: () => stripe.account(account.secretKey),
    },
    input: {
      items: [{ product_slug: product.slug, quantity: 1 }, subscription],
      customer_email: email,
      promo_code: promo.code,
      gift_card_code: card.code,
      partner_code: partner.code,
    },
  };
}

/** Repeat the request, as a shopper without a response does; the result is as after one request. */
async function repeatRequest(fixture: KillFixture, customer: Customer): Promise<string[]> {
  const before = await canBePaidOnce(fixture, customer);
  await createCheckoutSession(fixture.ctx, customer.input, { requestKey: customer.requestKey });
  return [...before, ...(await canBePaidOnce(fixture, customer, 1))];
}

const checkOut = ({ input, requestKey }: Customer): Task => ({ kind: 'check_out', input, requestKey });

/** A checkout that was paid at the provider; returns its session. */
async function pay(
  { ctx, stripe }: KillFixture,
  { input, email }: Customer,
): Promise<{ orderId: string; sessionId: string }> {
  const { order_id: orderId } = await createCheckoutSession(ctx, input);
  const { sessionId } = await sessionOf(ctx, orderId);
  await stripe.pay(sessionId ?? '', { ...shopper, email, outcome: 'paid' });
  return { orderId, sessionId: sessionId ?? '' };
}

async function subscriptionOf({ ctx, query }: KillFixture): Promise<string> {
  const [subscription] = await query<{ id: string }>(sql`
    select payment_subscription_id as id from subscriptions where tenant_id = ${ctx.tenant.id}`);
  return subscription?.id ?? '';
}

/** The store's key at the provider; without one its account is denied. */
const saveKey = ({ ctx }: KillFixture, secretKey: string | null) =>
  transact(ctx, (ctx) =>
    savePaymentAccount(ctx, { provider: 'stripe', mode: 'direct', automatic_tax: false, secret_key: secretKey }),
  );

/** The job for the newest event of this type, after a sweep. */
async function eventJob(fixture: KillFixture, type: string): Promise<Task> {
  await sweepStoreEvents(fixture.ctx);
  const [row] = await fixture.query<{ id: string }>(sql`
    select o.id from outbox o join payment_events e on e.tenant_id = o.tenant_id and e.id = o.payload ->> 'eventId'
    where o.tenant_id = ${fixture.ctx.tenant.id} and e.type = ${type} and o.finished_at is null
      order by e.received_at desc limit 1`);
  return { kind: 'work', job: 'payments.reconcile-payment-event', outboxJobId: row?.id ?? '' };
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  'a checkout': { prepare: async (_fixture, customer) => checkOut(customer), findings: repeatRequest },

  'a checkout that supersedes an older one': {
    async prepare(fixture, customer) {
      await createCheckoutSession(fixture.ctx, customer.input);
      return checkOut(customer);
    },
    findings: repeatRequest,
  },

  'repairing a session whose response was lost': {
    async prepare({ ctx, stripe, clock, outboxJobOf }, { input, requestKey }) {
      await stripe.addFault({ match: 'POST /v1/checkout/sessions', kind: 'reset_after', times: 4 });
      await createCheckoutSession(ctx, input, { requestKey }).then(
        () => {
          throw new Error('The request got a response.');
        },
        () => undefined,
      );
      await stripe.clearFaults();
      clock.pass(minutes(10) + 1000);
      return outboxJobOf('checkout.repair-session');
    },
    findings: repeatRequest,
  },

  'accepting an event': {
    async prepare(fixture, customer) {
      const { sessionId } = await pay(fixture, customer);
      return acceptTask(fixture, sessionId);
    },
    async findings(fixture, customer) {
      const [order] = await fixture.query<{ sessionId: string }>(sql`
        select s.provider_session_id as "sessionId" from payment_sessions s join orders o on o.tenant_id = s.tenant_id
          and o.id = s.order_id
        where s.tenant_id = ${fixture.ctx.tenant.id} and o.email = ${customer.email}`);
      const again = await acceptTask(fixture, order?.sessionId ?? '');
      await acceptPaymentEvent(fixture.ctx, { rawBody: Buffer.from(again.body), signature: again.signature });
      await fixture.recover();
      return isPaidOnce(fixture, customer);
    },
  },

  'reconciling an event': {
    async prepare(fixture, customer) {
      await pay(fixture, customer);
      return eventJob(fixture, 'checkout.session.completed');
    },
    findings: isPaidOnce,
  },

  'checking a session': {
    async prepare(fixture, customer) {
      await pay(fixture, customer);
      fixture.clock.pass(121_000);
      return fixture.outboxJobOf('payments.check-session');
    },
    findings: isPaidOnce,
  },

  'renewing a subscription': {
    async prepare(fixture, customer) {
      await pay(fixture, customer);
      await sweepStoreEvents(fixture.ctx);
      await fixture.recover();
      await fixture.stripe.renew(await subscriptionOf(fixture), 'paid');
      return eventJob(fixture, 'invoice.paid');
    },
    findings: isRenewedOnce,
  },

  'the daily drift report, with an abandoned session': {
    async prepare(fixture, customer) {
      const { ctx, clock, account } = fixture;
      await pay(fixture, customer);
      await saveKey(fixture, null);
      clock.pass(hours(26));
      await fixture.recover();
      await saveKey(fixture, account.secretKey);
      await transact(ctx, async (ctx) => enqueue(ctx, reportStoreDrift, { period: 1 }));
      return fixture.outboxJobOf(reportStoreDrift.name);
    },
    async findings(fixture, customer) {
      return [
        ...(await isPaidOnce(fixture, customer, { events: 'order.expired, order.paid' })),
        ...(await isDriftReported(fixture)),
      ];
    },
  },

  'scanning a gap in the events': {
    async prepare(fixture, customer) {
      const { ctx, clock, stripe } = fixture;
      await pay(fixture, customer);
      await fixture.recover();
      const sweptTo = clock.now();
      await transact(ctx, ({ tx }) =>
        tx.execute(sql`update payment_accounts set events_swept_to = ${sweptTo} where tenant_id = ${ctx.tenant.id}`),
      );
      await stripe.renew(await subscriptionOf(fixture), 'paid');
      clock.pass(days(32));
      await sweepStoreEvents(ctx);
      return fixture.outboxJobOf(scanEventGap.name);
    },
    async findings(fixture, customer) {
      return [...(await isRenewedOnce(fixture, customer)), ...(await isGapClosed(fixture))];
    },
  },

  'issuing a refund': {
    async prepare(fixture, customer) {
      const { orderId } = await pay(fixture, customer);
      await sweepStoreEvents(fixture.ctx);
      await fixture.recover();
      await requestRefund(fixture.ctx, { orderId });
      return fixture.outboxJobOf('payments.issue-refund');
    },
    findings: isRefundedOnce,
  },
};

/** The event that the provider sends for a completed session. */
async function acceptTask(
  { stripe, account, clock }: KillFixture,
  sessionId: string,
): Promise<Extract<Task, { kind: 'accept' }>> {
  const { events } = await stripe.account(account.secretKey);
  const event = events.find(
    ({ type, data }) =>
      type === 'checkout.session.completed' && (data as { object: { id: string } }).object.id === sessionId,
  );
  const body = JSON.stringify(event, null, 2);
  return {
    kind: 'accept',
    body,
    signature: signatureHeader(body, account.webhookSecret, Math.floor(clock.now().getTime() / 1000)),
  };
}

import { reportStoreDrift, scanEventGap } from '#jobs/payments.ts';
import { transact } from '#src/database/transact.ts';
import { signatureHeader } from '#src/dev/simulators/stripe/webhooks/delivery.ts';
import { type CheckoutInput, createCheckoutSession } from '#src/domain/checkout/index.ts';
import { acceptPaymentEvent, requestRefund, savePaymentAccount, sweepStoreEvents } from '#src/domain/payments/index.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { type BuiltProduct, buildProduct } from '#test/support/factories/catalog.ts';
import { sessionOf } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { shopper } from '#test/support/use-stripe.ts';
import { canBePaidOnce, isDriftReported, isGapClosed, isPaidOnce, isRefundedOnce, isRenewedOnce } from './findings.ts';
import type { Lab } from './lab.ts';
import type { Task } from './task.ts';

/** Somebody and what he wants: everything that can be held is held for him. */
export interface Customer {
  readonly email: string;
  readonly product: BuiltProduct;
  readonly promo: { readonly id: string };
  readonly card: { readonly id: string };
  readonly input: CheckoutInput;
  readonly requestKey: string;
}

/** Some work in which a process dies, and what has to be so when everything has healed. */
export interface Scenario {
  /** All that comes before: answers the work. */
  prepare(lab: Lab, customer: Customer): Promise<Task>;
  /** What does not hold afterwards. */
  findings(lab: Lab, customer: Customer): Promise<string[]>;
}

export async function newCustomer({ ctx }: Lab): Promise<Customer> {
  const [product, beans, promo, card] = await Promise.all([
    buildProduct(ctx, { variants: [{ stock: 5 }] }),
    buildProduct(ctx, { purchase_types: ['subscription'], subscription_intervals: ['month'] }),
    buildPromo(ctx, { usage_limit: 5 }),
    buildGiftCard(ctx, { balanceCents: 1000 }),
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
    input: {
      items: [{ product_slug: product.slug, quantity: 1 }, subscription],
      customer_email: email,
      promo_code: promo.code,
      gift_card_code: card.code,
    },
  };
}

/** Another click, as a shopper makes it who got no answer; and then everything is as after one. */
async function clickAgain(lab: Lab, customer: Customer): Promise<string[]> {
  const before = await canBePaidOnce(lab, customer);
  await createCheckoutSession(lab.ctx, customer.input, { requestKey: customer.requestKey });
  return [...before, ...(await canBePaidOnce(lab, customer, 1))];
}

const checkOut = ({ input, requestKey }: Customer): Task => ({ kind: 'check_out', input, requestKey });

/** A checkout that was paid at the provider; answers its session. */
async function pay({ ctx, stripe }: Lab, { input, email }: Customer): Promise<{ orderId: string; sessionId: string }> {
  const { order_id: orderId } = await createCheckoutSession(ctx, input);
  const { sessionId } = await sessionOf(ctx, orderId);
  await stripe.pay(sessionId ?? '', { ...shopper, email, outcome: 'paid' });
  return { orderId, sessionId: sessionId ?? '' };
}

async function subscriptionOf({ ctx, ask }: Lab): Promise<string> {
  const [subscription] = await ask<{ id: string }>(sql`
    select payment_subscription_id as id from subscriptions where tenant_id = ${ctx.tenant.id}`);
  return subscription?.id ?? '';
}

/** The store's key at the provider; without one its account does not open. */
const saveKey = ({ ctx }: Lab, secretKey: string | null) =>
  transact(ctx, (ctx) =>
    savePaymentAccount(ctx, { provider: 'stripe', mode: 'direct', automatic_tax: false, secret_key: secretKey }),
  );

/** The promise to look into the newest event of this type, brought by a sweep. */
async function eventJob(lab: Lab, type: string): Promise<Task> {
  await sweepStoreEvents(lab.ctx);
  const [row] = await lab.ask<{ id: string }>(sql`
    select o.id from outbox o join payment_events e on e.tenant_id = o.tenant_id and e.id = o.payload ->> 'eventId'
    where o.tenant_id = ${lab.ctx.tenant.id} and e.type = ${type} and o.finished_at is null order by e.received_at desc limit 1`);
  return { kind: 'work', job: 'payments.reconcile-payment-event', outboxJobId: row?.id ?? '' };
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  'a checkout': { prepare: async (_lab, customer) => checkOut(customer), findings: clickAgain },

  'a checkout that supersedes an older one': {
    async prepare(lab, customer) {
      await createCheckoutSession(lab.ctx, customer.input);
      return checkOut(customer);
    },
    findings: clickAgain,
  },

  'the repair of a session whose answer was lost': {
    async prepare({ ctx, stripe, clock, outboxJobOf }, { input, requestKey }) {
      await stripe.addFault({ match: 'POST /v1/checkout/sessions', kind: 'reset_after', times: 4 });
      await createCheckoutSession(ctx, input, { requestKey }).then(
        () => {
          throw new Error('It was answered.');
        },
        () => undefined,
      );
      await stripe.clearFaults();
      clock.pass(minutes(10) + 1000);
      return outboxJobOf('checkout.repair-session');
    },
    findings: clickAgain,
  },

  'the taking in of an event': {
    async prepare(lab, customer) {
      const { sessionId } = await pay(lab, customer);
      return acceptTask(lab, sessionId);
    },
    async findings(lab, customer) {
      const [order] = await lab.ask<{ sessionId: string }>(sql`
        select s.provider_session_id as "sessionId" from payment_sessions s join orders o on o.tenant_id = s.tenant_id and o.id = s.order_id
        where s.tenant_id = ${lab.ctx.tenant.id} and o.email = ${customer.email}`);
      const again = await acceptTask(lab, order?.sessionId ?? '');
      await acceptPaymentEvent(lab.ctx, { rawBody: Buffer.from(again.body), signature: again.signature });
      await lab.heal();
      return isPaidOnce(lab, customer);
    },
  },

  'the looking into an event': {
    async prepare(lab, customer) {
      await pay(lab, customer);
      return eventJob(lab, 'checkout.session.completed');
    },
    findings: isPaidOnce,
  },

  'the asking how a session stands': {
    async prepare(lab, customer) {
      await pay(lab, customer);
      lab.clock.pass(121_000);
      return lab.outboxJobOf('payments.check-session');
    },
    findings: isPaidOnce,
  },

  'the renewal of a subscription': {
    async prepare(lab, customer) {
      await pay(lab, customer);
      await sweepStoreEvents(lab.ctx);
      await lab.heal();
      await lab.stripe.renew(await subscriptionOf(lab), 'paid');
      return eventJob(lab, 'invoice.paid');
    },
    findings: isRenewedOnce,
  },

  'the daily comparison, of a session that was given up': {
    async prepare(lab, customer) {
      const { ctx, clock, account } = lab;
      await pay(lab, customer);
      await saveKey(lab, null);
      clock.pass(hours(26));
      await lab.heal();
      await saveKey(lab, account.secretKey);
      await transact(ctx, async (ctx) => enqueue(ctx, reportStoreDrift, { period: 1 }));
      return lab.outboxJobOf(reportStoreDrift.name);
    },
    async findings(lab, customer) {
      return [
        ...(await isPaidOnce(lab, customer, { events: 'order.expired, order.paid' })),
        ...(await isDriftReported(lab)),
      ];
    },
  },

  'the looking through of a time whose events are forgotten': {
    async prepare(lab, customer) {
      const { ctx, clock, stripe } = lab;
      await pay(lab, customer);
      await lab.heal();
      const sweptTo = clock.now();
      await transact(ctx, ({ tx }) =>
        tx.execute(sql`update payment_accounts set events_swept_to = ${sweptTo} where tenant_id = ${ctx.tenant.id}`),
      );
      await stripe.renew(await subscriptionOf(lab), 'paid');
      clock.pass(days(32));
      await sweepStoreEvents(ctx);
      return lab.outboxJobOf(scanEventGap.name);
    },
    async findings(lab, customer) {
      return [...(await isRenewedOnce(lab, customer)), ...(await isGapClosed(lab))];
    },
  },

  'the issuing of a refund': {
    async prepare(lab, customer) {
      const { orderId } = await pay(lab, customer);
      await sweepStoreEvents(lab.ctx);
      await lab.heal();
      await requestRefund(lab.ctx, { orderId });
      return lab.outboxJobOf('payments.issue-refund');
    },
    findings: isRefundedOnce,
  },
};

/** What the provider delivers when a session was completed. */
async function acceptTask(
  { stripe, account, clock }: Lab,
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

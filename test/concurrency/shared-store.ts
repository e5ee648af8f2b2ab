import { Readable } from 'node:stream';
import { TOTP } from 'otpauth';
import { applyBatches as applyBatchesJob } from '#jobs/bulk.ts';
import { readOne, transact } from '#src/database/transact.ts';
import {
  applyBatches,
  changeKindOf,
  exportKindOf,
  importKindOf,
  previewChange,
  receiveImport,
  requestExport,
  runChange,
} from '#src/domain/bulk/index.ts';
import { submitReview } from '#src/domain/catalog/index.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { createIntegrationState } from '#src/domain/integrations/index.ts';
import { suppress } from '#src/domain/mail/suppression.ts';
import { readOrder } from '#src/domain/orders/index.ts';
import { acceptPaymentEvent, requestRefund, startSecretRotation } from '#src/domain/payments/index.ts';
import type { Ports } from '#src/domain/ports/index.ts';
import type { PaymentEvent } from '#src/domain/ports/payment-gateway.ts';
import { eraseDataSubject, requestErasure } from '#src/domain/privacy/index.ts';
import { approveReturn, receiveReturn } from '#src/domain/returns/index.ts';
import { requestLink } from '#src/domain/sessions/index.ts';
import { markFulfilled, requestLabel, saveSecondShippingAccount } from '#src/domain/shipping/index.ts';
import { consumeStaffLink, startTotp } from '#src/domain/staff/index.ts';
import { scopes } from '#src/domain/tenants/api-key.ts';
import { issueKey, type Scope } from '#src/domain/tenants/index.ts';
import { createEndpoint } from '#src/domain/webhooks/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';
import { labelOf, run } from '#test/domain/shipping/support.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildCart, restoreTokenOf, unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildPaidOrder, type GivenOrder } from '#test/support/factories/orders.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildRemindedCart, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildReturn } from '#test/support/factories/returns.ts';
import { buildLink, buildSession, linkRequest } from '#test/support/factories/sessions.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import {
  buildStaff,
  buildStaffLink,
  buildStaffSession,
  buildVerificationCode,
  verify,
} from '#test/support/factories/staff.ts';
import { buildSubscription, snapshotOf } from '#test/support/factories/subscriptions.ts';
import { recordTests } from '#test/support/factories/webhooks.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { buildTenant } from '#test/support/tenant.ts';

export const payments = fakePaymentGateway();
export const shipping = fakeShippingByStore();

export const ports: Partial<Ports> = {
  payments,
  shipping: shipping.gateway,
  secondShipping: { checkAccount: async () => undefined },
  mailer: fakeMailer(),
  http: {
    findUrlProblem: async () => undefined,
    post: async () => ({ kind: 'responded', status: 204, body: '', retryAfterSeconds: undefined, durationMs: 1 }),
  },
};

type Build<Thing> = (store: SharedStore) => Promise<Thing>;

/** A store in which a thing is built when it is first needed, so that two operations are about the same one. */
export class SharedStore {
  readonly ctx: Context;
  /** That may do everything. */
  readonly callersKey: string;
  readonly #built = new Map<Build<unknown>, Promise<unknown>>();

  static async create(services: Services): Promise<SharedStore> {
    const ctx = { ...services.context(), tenant: await buildTenant(services) };
    const { value } = await transact(ctx, (ctx) => issueKey(ctx, keyInput('caller', scopes)));
    // It is looked up once and remembered: who waits for another's look-up would wait for ever.
    await services.tenants.byId(ctx.tenant.id);
    return new SharedStore(ctx, value);
  }

  private constructor(ctx: Context, callersKey: string) {
    this.ctx = ctx;
    this.callersKey = callersKey;
  }

  the<Thing>(build: Build<Thing>): Promise<Thing> {
    const thing = this.#built.get(build) ?? build(this);
    this.#built.set(build, thing);
    return thing as Promise<Thing>;
  }

  /** What was built. */
  get things(): ReadonlySet<Build<unknown>> {
    return new Set(this.#built.keys());
  }
}

const keyInput = (name: string, scopes: readonly Scope[]) =>
  ({ name, kind: 'secret', scopes, expiresAt: null }) as const;

export const customer = ({ ctx }: SharedStore) => buildCustomer(ctx, { email: 'ada@example.com', name: 'Ada' });

export const adasEmail = async (store: SharedStore) => (await store.the(customer)).email;

export async function session(store: SharedStore) {
  return buildSession(store.ctx, { email: await adasEmail(store) });
}

export async function signInLink(store: SharedStore) {
  return buildLink(store.ctx, await adasEmail(store));
}

/** The job of a link that was requested. */
export async function requestedLink(store: SharedStore) {
  await requestLink(store.ctx, linkRequest(await adasEmail(store)));
}

/** Three bowls. */
export const product = ({ ctx }: SharedStore) =>
  buildProduct(ctx, {
    slug: 'bowl',
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month', 'quarter'],
    variants: [{ stock: 3 }],
  });

export const entry = ({ ctx }: SharedStore) => buildEntry(ctx, { slug: 'care' });

export async function cart(store: SharedStore) {
  const { variant } = await store.the(product);
  return buildCart(store.ctx, [variant.id]);
}

export const promo = ({ ctx }: SharedStore) => buildPromo(ctx, { code: 'ONCE', usage_limit: 1 });

export const giftCard = ({ ctx }: SharedStore) => buildGiftCard(ctx);

export const partner = ({ ctx }: SharedStore) => buildPartner(ctx, { code: 'maker' });

export const paymentAccount = ({ ctx }: SharedStore) =>
  buildPaymentAccount(ctx, { secret_key: 'sk_test_one', webhook_secret: 'whsec_one' });

export const shippingAccount = ({ ctx }: SharedStore) =>
  buildShippingAccount(ctx, { api_key: 'shippo_test_one', webhook_token: 'token-one' });

export const secondShipping = ({ ctx }: SharedStore) =>
  transact(ctx, (ctx) => saveSecondShippingAccount(ctx, { provider: 'easypost', api_key: 'EZTK1' }));

async function buildPaid(store: SharedStore, given: GivenOrder & { number: number }) {
  const { ctx } = store;
  await store.the(paymentAccount);
  await store.the(shippingAccount);
  const paymentId = `pi_${randomText(14)}`;
  const order = await buildPaidOrder(ctx, { email: await adasEmail(store), paymentId, ...given });
  const { items = [], total_cents = 0 } = (await readOrder(ctx, order.id)) ?? {};
  payments.setPayment({ paymentId, tenantId: ctx.tenant.id, orderId: order.id, amountCents: total_cents });
  return { ...order, paymentId, itemId: items[0]?.id ?? '' };
}

/** Two bowls of Ada's, paid. */
export const order = (store: SharedStore) =>
  buildPaid(store, { number: 9001, items: [{ quantity: 2 }], attentionCodes: ['paid_twice'] });

/** The order, sent by hand with a tracking number that is wrong. */
export async function shippedOrder(store: SharedStore) {
  const paid = await store.the(order);
  await markFulfilled(store.ctx, { orderId: paid.id, carrier: 'USPS', trackingNumber: '9399' });
  return paid;
}

/** The label of the order, which waits for its job. */
export async function requestedLabel(store: SharedStore) {
  const { id: orderId } = await store.the(order);
  await transact(store.ctx, (ctx) => requestLabel(ctx, { orderId }));
  return labelOf(store.ctx, orderId);
}

/** The label of the order, purchased. */
export async function label(store: SharedStore) {
  const { id: orderId } = await store.the(order);
  await store.the(requestedLabel);
  await run(store.ctx, orderId);
  return labelOf(store.ctx, orderId);
}

/** An order whose address lacks a street, so that its label needs attention. */
export async function flaggedOrder(store: SharedStore) {
  const { ctx } = store;
  const paid = await buildPaid(store, { number: 9002, address: { street1: null } });
  await transact(ctx, (ctx) => requestLabel(ctx, { orderId: paid.id }));
  await run(ctx, paid.id);
  return { ...paid, labelId: (await labelOf(ctx, paid.id)).id };
}

export async function openReturn(store: SharedStore) {
  const { id } = await store.the(order);
  return buildReturn(store.ctx, await readOrder(store.ctx, id));
}

export async function approvedReturn(store: SharedStore) {
  const { id: returnId } = await store.the(openReturn);
  return approveReturn(store.ctx, { returnId });
}

export async function receivedReturn(store: SharedStore) {
  const { id: returnId } = await store.the(approvedReturn);
  return receiveReturn(store.ctx, { returnId });
}

/** What a checkout of two of three bowls is sent. */
export async function checkoutInput(store: SharedStore) {
  await store.the(paymentAccount);
  const { slug, variant } = await store.the(product);
  const [{ id: cart_id }, { code: gift_card_code }, { code: promo_code }] = await Promise.all([
    store.the(cart),
    store.the(giftCard),
    store.the(promo),
  ]);
  const items = [{ product_slug: slug, variant_id: variant.id, quantity: 2, purchase_type: 'one_time' as const }];
  return { items, customer_email: await adasEmail(store), cart_id, gift_card_code, promo_code };
}

/** A checkout that is open. */
export async function checkout(store: SharedStore) {
  const { order_id: orderId } = await createCheckoutSession(store.ctx, await store.the(checkoutInput));
  return { orderId, sessionId: payments.sessionOf(orderId).sessionId };
}

/** The event that the checkout was paid, which waits for its job. */
export async function payment(store: SharedStore) {
  const { sessionId } = await store.the(checkout);
  payments.change(sessionId, { state: 'settled', paymentId: `pi_${sessionId}` });
  await receiveEvent(store, { type: 'checkout.session.completed', subject: 'session', objectId: sessionId });
}

/** A refund of the order that the owner requested, and one that was made in the provider's dashboard. */
export async function requestedRefund(store: SharedStore) {
  const { id: orderId } = await store.the(order);
  await requestRefund(store.ctx, { orderId, amountCents: 4000, isNamed: true });
}

export async function foreignRefund(store: SharedStore) {
  const { id: orderId, paymentId } = await store.the(order);
  const refunded = { amountCents: 7600, refundedCents: 5000 };
  payments.setPayment({ paymentId, tenantId: store.ctx.tenant.id, orderId, ...refunded });
  await receiveEvent(store, { type: 'charge.refunded', subject: 'payment', objectId: paymentId });
}

/** As the provider sends it: with the signature of `paymentAccount`. */
export const eventOf = (ctx: Context, event: Pick<PaymentEvent, 'type' | 'subject' | 'objectId'>) => ({
  body: JSON.stringify({
    ...event,
    eventId: `evt_${event.objectId}.${event.type}`,
    metadata: null,
    createdAt: ctx.clock.now(),
  }),
  signature: 'whsec_one',
});

export async function receiveEvent({ ctx }: SharedStore, event: Parameters<typeof eventOf>[1]) {
  const { body, signature } = eventOf(ctx, event);
  await acceptPaymentEvent(ctx, { rawBody: Buffer.from(body), signature });
}

export async function subscription(store: SharedStore) {
  await store.the(paymentAccount);
  const { id: productId } = await store.the(product);
  const built = await buildSubscription(store.ctx, { email: await adasEmail(store), productId });
  payments.subscriptions.set(built.paymentSubscriptionId, snapshotOf(built.paymentSubscriptionId));
  return built;
}

/** A saved cart with its reminders. */
export async function savedCart(store: SharedStore) {
  await remindAnytime(store.ctx);
  const { slug } = await store.the(product);
  const items = [{ product_slug: slug, quantity: 1, unit_price_cents: 3800 }];
  const email = await adasEmail(store);
  const { cart } = await buildRemindedCart(store.ctx, { email, items });
  return {
    restoreToken: await restoreTokenOf(store.ctx, cart.id),
    unsubscribeToken: await unsubscribeTokenOf(store.ctx, email),
  };
}

export async function review(store: SharedStore) {
  const { slug } = await store.the(product);
  return submitReview(store.ctx, slug, { rating: 5, title: 'Fine', email: await adasEmail(store) });
}

/** Another key than that of the callers. */
export const key = ({ ctx }: SharedStore) =>
  transact(ctx, (ctx) => issueKey(ctx, keyInput('warehouse', ['orders:read'])));

/** An owner who is signed in and verified. */
export async function staff({ ctx }: SharedStore) {
  const session = await buildStaffSession(ctx, { email: 'grace@example.com' });
  await verify(ctx, session);
  return session;
}

/** Another session of the same owner. */
export async function otherSession(store: SharedStore) {
  const { staff: member } = await store.the(staff);
  const token = await buildStaffLink(store.ctx, member.email);
  return (await consumeStaffLink(store.ctx, { token })).session;
}

/** Another owner, who is not signed in. */
export const owner = ({ ctx }: SharedStore) => buildStaff(ctx, { email: 'joan@example.com', name: 'Joan' });

export async function staffLink(store: SharedStore) {
  await store.the(staff);
  return buildStaffLink(store.ctx, 'grace@example.com');
}

export const verificationCode = async (store: SharedStore) => buildVerificationCode(store.ctx, await store.the(staff));

/** Of an authenticator app that is not confirmed. */
export async function totpCode(store: SharedStore) {
  const { secret } = await startTotp(store.ctx, await store.the(staff));
  return new TOTP({ secret }).generate({ timestamp: store.ctx.clock.now().getTime() });
}

export const endpoint = async ({ ctx }: SharedStore) =>
  (await createEndpoint(ctx, { url: 'https://hooks.example/one', events: ['order.*', 'subscription.*'] })).endpoint;

export async function delivery(store: SharedStore) {
  const { id: endpointId } = await store.the(endpoint);
  await recordTests(store.ctx, endpointId);
  const found = await readOne<{ id: string }>(
    store.ctx,
    sql`select id from webhook_deliveries where tenant_id = ${store.ctx.tenant.id}`,
  );
  return { id: found?.id ?? '' };
}

export async function rotation(store: SharedStore) {
  const { ctx } = store;
  await store.the(paymentAccount);
  const { staff: member } = await store.the(staff);
  const verifiedUntil = new Date(ctx.clock.now().getTime() + minutes(10));
  return startSecretRotation({ ...ctx, actor: { kind: 'staff', id: member.id, verifiedUntil } });
}

export const connection = ({ ctx }: SharedStore) =>
  createIntegrationState(ctx, { provider: 'bookkeeper', returnUrl: 'https://shop.example/back' });

export const openExport = ({ ctx }: SharedStore) =>
  requestExport(ctx, { kind: exportKindOf({ kind: 'products' }), format: 'csv', from: null, to: null });

/** An erasure of Ada, not run. */
export async function previewedErasure(store: SharedStore) {
  const id = await requestErasure(store.ctx, { email: await adasEmail(store) });
  await eraseDataSubject(store.ctx, { erasureId: id });
  return id;
}

/** An import of the stock of the product. */
export async function openImport(store: SharedStore) {
  const { variant } = await store.the(product);
  const options = { kind: importKindOf({ kind: 'stock' }), format: 'csv', mode: 'upsert', dry_run: false } as const;
  const file = Readable.from([Buffer.from(`sku,quantity\n${variant.sku},9\n`)]);
  return (await receiveImport(store.ctx, options, file)).id;
}

/** A change of the price of the product, not run. */
export async function preview(store: SharedStore) {
  const { id } = await store.the(product);
  const kind = changeKindOf({ kind: 'prices' });
  return previewChange(store.ctx, { kind, ids: [id], change: { percent: 10 } });
}

/** The same, queued. */
export async function queuedChange(store: SharedStore) {
  const id = await store.the(preview);
  await runChange(store.ctx, { id });
  return id;
}

/** The same, done. */
export async function completedChange(store: SharedStore) {
  const id = await store.the(queuedChange);
  for (const payload of await enqueuedJobs(store.ctx, applyBatchesJob)) await applyBatches(store.ctx, payload);
  return id;
}

export async function suppression(store: SharedStore) {
  const email = await adasEmail(store);
  await transact(store.ctx, (ctx) => suppress(ctx, email, 'bounced'));
}

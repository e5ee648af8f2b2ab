import { transact } from '#src/database/transact.ts';
import { removeProduct, saveStock } from '#src/domain/catalog/index.ts';
import { checkSession, requestRefund } from '#src/domain/payments/index.ts';
import { changeReturnEmail } from '#src/domain/returns/index.ts';
import { acknowledgeDuplicate, checkPurchases, receiveNotification, voidLabel } from '#src/domain/shipping/index.ts';
import { confirmTotp, disableTotp, verifyStaffSession } from '#src/domain/staff/index.ts';
import { saveKey } from '#src/domain/tenants/index.ts';
import { recoverDeliveries, removeEndpoint } from '#src/domain/webhooks/index.ts';
import { buildWaiting } from '#test/support/factories/leads.ts';
import { snapshotOf } from '#test/support/factories/subscriptions.ts';
import { type Prepare, prepare, runJobOf } from './operations.ts';
import * as the from './shared-store.ts';
import { payments, type SharedStore, shipping } from './shared-store.ts';

/** Do something to a thing that was built, once these jobs have run. */
const after =
  <Thing>(
    build: (store: SharedStore) => Promise<Thing>,
    jobs: readonly string[],
    act: (store: SharedStore, thing: Thing) => Promise<unknown>,
  ): Prepare =>
  async (context, store, operation) => {
    const thing = await store.the(build);
    for (const job of jobs) await (await runJobOf(build, job)(context, store, operation))();
    return async () => {
      await act(store, thing);
      return 'done';
    };
  };

/** A label that was bought twice; the second one is known once the job of the provider's notification has run. */
async function secondLabel(store: SharedStore) {
  const { id: labelId, purchaseId } = await store.the(the.label);
  const { id: orderId } = await store.the(the.order);
  const fake = shipping.of(store.ctx.tenant.id);
  const { rateId = '', marker = '' } = fake.bought()[0] ?? {};
  const again = { rateId: rateId ?? '', marker: marker.replace(`${labelId}:1`, `${labelId}:2`) };
  const { id } = await fake.buyLabel({ tenantId: store.ctx.tenant.id, apiKey: '' }, again);
  await receiveNotification(store.ctx, { event: 'transaction_created', data: { object_id: id } });
  return { id, orderId, labelId, purchaseId };
}

/** A checkout with a promo code and a gift card that was paid; its event waits for its job. */
async function paidCheckout(store: SharedStore) {
  await store.the(the.payment);
  const { orderId, sessionId } = await store.the(the.checkout);
  const { totalCents: amountCents } = payments.sessionOf(orderId);
  const payment = { paymentId: `pi_${sessionId}`, tenantId: store.ctx.tenant.id, orderId, amountCents };
  payments.setPayment(payment);
  return payment;
}

const nothing = async () => undefined;

/** In full. */
const refund = async ({ ctx }: SharedStore, orderId: string) => requestRefund(ctx, { orderId, isNamed: true });

/** An authenticator app with its recovery codes. */
async function confirmedApp(store: SharedStore) {
  const session = await store.the(the.staff);
  const codes = await confirmTotp(store.ctx, session, await store.the(the.totpCode));
  return { session, code: codes[0] ?? '' };
}

/** With an order of the store, without which the provider's would be foreign. */
async function subscriptionOfOrder(store: SharedStore) {
  await store.the(the.order);
  return store.the(the.subscription);
}

/** A session that expired; its event waits for its job. */
async function expiredCheckout(store: SharedStore) {
  const { sessionId } = await store.the(the.checkout);
  payments.change(sessionId, { state: 'expired' });
  await the.receiveEvent(store, { type: 'checkout.session.expired', subject: 'session', objectId: sessionId });
  return sessionId;
}

/** What is only done to things that have got further than those of the other operations. */
export const laterOperations: Readonly<Record<string, Prepare>> = {
  'the recovery of an endpoint': after(the.delivery, ['webhooks.drain-endpoint'], async (store) => {
    const { id } = await store.the(the.endpoint);
    await recoverDeliveries(store.ctx, { id, since: new Date(0), only: 'all' });
  }),
  'the removal of an endpoint that has deliveries': after(the.delivery, [], async (store) =>
    removeEndpoint(store.ctx, await store.the(the.endpoint)),
  ),
  'the refund of a paid checkout': after(paidCheckout, ['payments.reconcile-payment-event'], async (store, payment) => {
    await refund(store, payment.orderId);
    payments.setPayment({ ...payment, refundedCents: payment.amountCents });
    await the.receiveEvent(store, { type: 'charge.refunded', subject: 'payment', objectId: payment.paymentId });
  }),
  'the event that a session expired': after(expiredCheckout, [], nothing),
  'the event that an expired session was paid': after(
    expiredCheckout,
    ['payments.reconcile-payment-event'],
    async (store, objectId) => {
      payments.change(objectId, { state: 'settled', paymentId: `pi_${objectId}` });
      const event = { type: 'checkout.session.async_payment_succeeded', subject: 'session', objectId } as const;
      await the.receiveEvent(store, event);
    },
  ),
  'the check of a session': after(the.checkout, [], async ({ ctx }, { orderId }) =>
    checkSession(ctx, { orderId, number: 99 }),
  ),
  'the check of a label': after(the.label, [], async ({ ctx }, { id }) =>
    checkPurchases(ctx, { labelId: id, number: 0 }),
  ),
  'the job of a call': async (context, store) => {
    await (await prepare(context, store, { name: 'POST /api/v1/integrations/:provider/callback' }))();
    return async () => 'done';
  },
  'a key with other scopes': after(the.key, [], async ({ ctx }) =>
    transact(ctx, (ctx) =>
      saveKey(ctx, { name: 'warehouse', kind: 'secret', scopes: ['orders:read', 'customers:read'], expiresAt: null }),
    ),
  ),
  'the event that a payment is processed': after(the.checkout, [], async (store, { sessionId }) => {
    payments.change(sessionId, { state: 'processing', paymentId: `pi_${sessionId}` });
    await the.receiveEvent(store, { type: 'checkout.session.completed', subject: 'session', objectId: sessionId });
  }),
  'the event of a subscription': after(subscriptionOfOrder, [], async (store, { paymentSubscriptionId: objectId }) => {
    const [{ id: orderId }, { id: tenantId }] = [await store.the(the.order), store.ctx.tenant];
    payments.subscriptions.set(objectId, { ...snapshotOf(objectId), tenantId, orderId, environment: 'test' });
    await the.receiveEvent(store, { type: 'customer.subscription.updated', subject: 'subscription', objectId });
  }),
  'the job of a second label': after(secondLabel, ['labels.follow-hint'], nothing),
  'the rejected refund of a second label': after(
    secondLabel,
    ['labels.follow-hint', 'labels.refund-duplicate'],
    async (store, { id }) => {
      shipping.of(store.ctx.tenant.id).amend(id, 'refund_rejected');
      await receiveNotification(store.ctx, { event: 'transaction_updated', data: { object_id: id } });
    },
  ),
  'the acknowledgement of a second label': after(
    secondLabel,
    ['labels.follow-hint', 'labels.refund-duplicate'],
    async ({ ctx }, { id, orderId }) => acknowledgeDuplicate(ctx, { purchaseId: id, orderId }),
  ),
  'the first movement of a parcel': after(the.label, [], async ({ ctx }, label) => {
    const trackingNumber = label.trackingNumber ?? '';
    shipping.of(ctx.tenant.id).tracking.set(trackingNumber, { status: 'transit', at: ctx.clock.now() });
    const data = { tracking_number: trackingNumber, carrier: 'usps', tracking_status: { status: 'TRANSIT' } };
    await receiveNotification(ctx, { event: 'track_updated', data });
  }),
  'the void of a label and its rejection': after(the.label, [], async (store, { id, purchaseId }) => {
    await voidLabel(store.ctx, { labelId: id });
    shipping.of(store.ctx.tenant.id).amend(purchaseId ?? '', 'refund_rejected');
    await receiveNotification(store.ctx, { event: 'transaction_updated', data: { object_id: purchaseId ?? '' } });
  }),
  "the void of a label in the provider's dashboard": after(the.label, [], async (store, { purchaseId }) => {
    shipping.of(store.ctx.tenant.id).amend(purchaseId ?? '', 'refunded');
    await receiveNotification(store.ctx, { event: 'transaction_updated', data: { object_id: purchaseId ?? '' } });
  }),
  'the refund of an order that has a label': after(the.label, [], async (store) =>
    refund(store, (await store.the(the.order)).id),
  ),
  'a recovery code and the end of its app': after(confirmedApp, [], async ({ ctx }, { session, code }) => {
    const verified = await verifyStaffSession(ctx, session, code);
    await disableTotp(ctx, verified);
  }),
  'the removal of a product that is found': after(the.product, ['search.index-document'], async ({ ctx }, { slug }) =>
    transact(ctx, (ctx) => removeProduct(ctx, slug)),
  ),
  'the email of an order with a return': after(the.openReturn, [], async (store) => {
    const { id: orderId } = await store.the(the.order);
    await transact(store.ctx, async (ctx) => changeReturnEmail(ctx, { orderId, email: 'eva@example.com' }));
  }),
  'a product that is in stock again': after(
    async (store) => {
      const { slug, variant } = await store.the(the.product);
      await saveStock(store.ctx, { items: [{ variant_id: variant.id, quantity: 0 }] });
      await buildWaiting(store.ctx, { productSlug: slug, variantId: variant.id });
      return variant.id;
    },
    [],
    async ({ ctx }, variantId) => saveStock(ctx, { items: [{ variant_id: variantId, quantity: 5 }] }),
  ),
};

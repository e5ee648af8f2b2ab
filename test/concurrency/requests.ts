import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

import { callSecretOf } from '#src/domain/integrations/calls.ts';
import { liveWebhookSecrets } from '#src/domain/payments/accounts/payment-account.ts';
import type { Sending } from '#test/support/every-route.ts';
import { shippingAccountInput } from '#test/support/factories/shipping.ts';
import * as the from './shared-store.ts';
import { adasEmail, payments, type SharedStore } from './shared-store.ts';

/** A request of each route, about what its store shares. Where it could say something else, the `second` one does. */
type Build = (store: SharedStore, second: boolean) => Sending | Promise<Sending>;

const idOf =
  (build: (store: SharedStore) => Promise<{ id: string }>, body?: object): Build =>
  async (store) => ({ params: { id: (await store.the(build)).id }, ...(body && { body }) });

const address = (second: boolean) => ({
  name: 'Ada Wells',
  street1: second ? '40 W 23rd St' : '41 W 23rd St',
  city: 'New York',
  state: 'NY',
  zip: '10010',
  country: 'US',
});

const paymentAccount = (second: boolean) => ({
  provider: 'stripe',
  mode: 'direct',
  secret_key: second ? 'sk_test_two' : 'sk_test_three',
  publishable_key: 'pk_test_1',
  webhook_secret: second ? 'whsec_two' : 'whsec_three',
});
const shippingAccount = (second: boolean) =>
  shippingAccountInput({ api_key: `shippo_test_${second ? 'two' : 'three'}`, webhook_token: 'token-two' });
const secondShipping = (second: boolean) => ({ provider: 'easypost', api_key: second ? 'EZTK2' : 'EZTK3' });

const productInput = (slug: string, second: boolean) => ({
  slug,
  name: second ? 'Bowl' : 'Plate',
  tags: second ? ['a', 'b'] : ['b', 'c'],
  variants: [{ sku: 'BOWL-1', price_cents: second ? 1000 : 2000 }],
});
const entryInput = (slug: string, second: boolean) => ({
  type: 'article',
  slug,
  title: second ? 'One' : 'Two',
  tags: second ? ['a', 'b'] : ['b', 'c'],
});
const promoInput = (second: boolean) => ({ type: 'percent', value: second ? 20 : 30 });
const inquiry: Build = async (store) => ({
  body: { name: 'Ada', email: await adasEmail(store), company: 'Bowls', message: 'How much?' },
});

export const requests: Readonly<Record<string, Build>> = {
  'POST /api/v1/admin/bulk-changes': async (store) => ({
    body: { kind: 'prices', ids: [(await store.the(the.product)).id], change: { percent: 10 } },
  }),
  'POST /api/v1/admin/bulk-changes/:id/cancel': async (store) => ({ params: { id: await store.the(the.preview) } }),
  'POST /api/v1/admin/bulk-changes/:id/run': async (store) => ({ params: { id: await store.the(the.preview) } }),
  'POST /api/v1/admin/bulk-changes/:id/undo': async (store) => ({
    params: { id: await store.the(the.completedChange) },
  }),
  'POST /api/v1/admin/content': (_, second) => ({ body: entryInput('new', second) }),
  'PUT /api/v1/admin/content/:type/:slug': async (store, second) => {
    const { type, slug } = await store.the(the.entry);
    return { params: { type, slug }, body: { ...entryInput(slug, second), slug: undefined, type: undefined } };
  },
  'DELETE /api/v1/admin/content/:type/:slug': async (store) => {
    const { type, slug } = await store.the(the.entry);
    return { params: { type, slug } };
  },
  'POST /api/v1/admin/erasures': async (store) => ({ body: { email: await adasEmail(store) } }),
  'POST /api/v1/admin/erasures/:id/run': async (store) => ({ params: { id: await store.the(the.previewedErasure) } }),
  'POST /api/v1/admin/exports': () => ({ body: { kind: 'products', format: 'csv' } }),
  'POST /api/v1/admin/exports/:id/cancel': async (store) => ({ params: { id: await store.the(the.openExport) } }),
  'POST /api/v1/admin/personal-data-exports': async (store) => ({ body: { email: await adasEmail(store) } }),
  'POST /api/v1/admin/gift-cards': () => ({ body: { balance_cents: 5000 } }),
  'POST /api/v1/admin/gift-cards/:id/disable': idOf(the.giftCard),
  'POST /api/v1/admin/imports': async (store, second) => ({
    query: '?kind=stock&format=csv',
    body: `sku,quantity\n${(await store.the(the.product)).variant.sku},${second ? 5 : 6}\n`,
    headers: { 'content-type': 'text/csv' },
  }),
  'POST /api/v1/admin/imports/:id/cancel': async (store) => ({ params: { id: await store.the(the.openImport) } }),
  'POST /api/v1/admin/integrations': () => ({
    body: { provider: 'bookkeeper', return_url: 'https://shop.example/back' },
  }),
  'POST /api/v1/admin/integrations/:id/reveal': async (store) => ({
    params: { id: (await store.the(the.connection)).connection.id },
  }),
  'POST /api/v1/admin/keys': (_, second) => ({
    body: { name: 'erp', kind: 'secret', scopes: [second ? 'orders:read' : 'customers:read'] },
  }),
  'POST /api/v1/admin/keys/:id/revoke': async (store) => ({ params: { id: (await store.the(the.key)).key.id } }),
  'POST /api/v1/admin/labels/:id/retry': async (store) => ({
    params: { id: (await store.the(the.flaggedOrder)).labelId },
  }),
  'POST /api/v1/admin/labels/:id/void': idOf(the.label),
  'POST /api/v1/admin/orders/:id/attention/dismiss': idOf(the.order, { code: 'paid_twice' }),
  'POST /api/v1/admin/orders/:id/label': idOf(the.order, {}),
  'POST /api/v1/admin/orders/:id/receipt': idOf(the.order),
  'POST /api/v1/admin/orders/:id/refunds': async (store, second) => ({
    params: { id: (await store.the(the.order)).id },
    body: { amount_cents: second ? 5000 : 4000 },
  }),
  'POST /api/v1/admin/orders/:id/ship': async (store, second) => ({
    params: { id: (await store.the(the.order)).id },
    body: { carrier: 'USPS', tracking_number: second ? '9400' : '9401' },
  }),
  'POST /api/v1/admin/orders/:id/ship/cancel': async (store) => ({
    params: { id: (await store.the(the.shippedOrder)).id },
  }),
  'POST /api/v1/admin/orders/:id/tracking/correct': async (store, second) => ({
    params: { id: (await store.the(the.shippedOrder)).id },
    body: { tracking_number: '9399', correction: { carrier: 'USPS', tracking_number: second ? '9400' : '9401' } },
  }),
  'PUT /api/v1/admin/orders/:id/email': async (store, second) => ({
    params: { id: (await store.the(the.order)).id },
    body: { email: second ? 'eva@example.com' : 'ida@example.com' },
  }),
  'PUT /api/v1/admin/orders/:id/shipping-address': async (store, second) => ({
    params: { id: (await store.the(the.flaggedOrder)).id },
    body: address(second),
  }),
  'POST /api/v1/admin/partners': async (store, second) => ({
    body: { code: (await store.the(the.partner)).code, name: second ? 'One' : 'Two', commission_percent: 5 },
  }),
  'DELETE /api/v1/admin/partners/:code': async (store) => ({
    params: { code: (await store.the(the.partner)).code },
  }),
  'POST /api/v1/admin/payments/webhook-secret/rotations': async (store) => {
    await store.the(the.paymentAccount);
    return {};
  },
  'POST /api/v1/admin/payments/webhook-secret/rotations/:id/confirm': async (store) => ({
    params: { id: (await store.the(the.rotation)).rotationId },
    body: {},
  }),
  'POST /api/v1/admin/products': (_, second) => ({ body: productInput('new', second) }),
  'PUT /api/v1/admin/products/:slug': async (store, second) => {
    const { slug } = await store.the(the.product);
    return { params: { slug }, body: { ...productInput(slug, second), slug: undefined } };
  },
  'DELETE /api/v1/admin/products/:slug': async (store) => ({
    params: { slug: (await store.the(the.product)).slug },
  }),
  'POST /api/v1/admin/promo-codes': (_, second) => ({ body: { code: 'NEW', ...promoInput(second) } }),
  'PUT /api/v1/admin/promo-codes/:code': async (store, second) => ({
    params: { code: (await store.the(the.promo)).code },
    body: promoInput(second),
  }),
  'DELETE /api/v1/admin/promo-codes/:code': async (store) => ({
    params: { code: (await store.the(the.promo)).code },
  }),
  'PUT /api/v1/admin/providers/payments': async (store, second) => {
    await store.the(the.paymentAccount);
    return { body: paymentAccount(second) };
  },
  'PUT /api/v1/admin/providers/shipping': async (store, second) => {
    await store.the(the.shippingAccount);
    return { body: shippingAccount(second) };
  },
  'PUT /api/v1/admin/providers/second-shipping': async (store, second) => {
    await store.the(the.secondShipping);
    return { body: secondShipping(second) };
  },
  'POST /api/v1/admin/providers/payments/confirmations': async (store, second) => {
    await store.the(the.paymentAccount);
    return { body: paymentAccount(second) };
  },
  'POST /api/v1/admin/providers/shipping/confirmations': async (store, second) => {
    await store.the(the.shippingAccount);
    return { body: shippingAccount(second) };
  },
  'POST /api/v1/admin/providers/second-shipping/confirmations': async (store, second) => {
    await store.the(the.secondShipping);
    return { body: secondShipping(second) };
  },
  'POST /api/v1/admin/providers/:kind/check': async (store) => {
    await store.the(the.shippingAccount);
    return { params: { kind: 'shipping' } };
  },
  'PUT /api/v1/admin/reminder-settings': (_, second) => ({ body: { steps: second ? ['1h'] : ['2h', '3h'] } }),
  'POST /api/v1/admin/returns/:id/approve': idOf(the.openReturn, {}),
  'POST /api/v1/admin/returns/:id/reject': idOf(the.openReturn, { note: 'worn' }),
  'POST /api/v1/admin/returns/:id/receive': idOf(the.approvedReturn, {}),
  'POST /api/v1/admin/returns/:id/close': idOf(the.approvedReturn, {}),
  'POST /api/v1/admin/returns/:id/refund': idOf(the.receivedReturn, {}),
  'POST /api/v1/admin/reviews/:id/approve': idOf(the.review),
  'POST /api/v1/admin/reviews/:id/reject': idOf(the.review),
  'POST /api/v1/admin/second-factor/totp': () => ({}),
  'POST /api/v1/admin/second-factor/totp/confirm': async (store) => ({ body: { code: await store.the(the.totpCode) } }),
  'DELETE /api/v1/admin/second-factor/totp': async (store) => {
    await store.the(the.totpCode);
    return {};
  },
  'POST /api/v1/admin/session/sign-out': () => ({}),
  'POST /api/v1/admin/session/verification': async (store) => ({
    body: { code: await store.the(the.verificationCode) },
  }),
  'POST /api/v1/admin/session/verification/email': () => ({}),
  'POST /api/v1/admin/sessions/:id/revoke': idOf(the.otherSession),
  'POST /api/v1/admin/sign-in/consume': async (store) => ({ body: { token: await store.the(the.staffLink) } }),
  'POST /api/v1/admin/sign-in/request': async (store) => ({
    body: { email: (await store.the(the.staff)).staff.email },
  }),
  'POST /api/v1/admin/staff': (_, second) => ({
    body: { email: 'new@example.com', name: 'New', role: second ? 'support' : 'manager' },
  }),
  'PATCH /api/v1/admin/staff/:id': async (store, second) => ({
    params: { id: (await store.the(the.owner)).id },
    body: { role: second ? 'support' : 'manager' },
  }),
  'POST /api/v1/admin/staff/:id/revoke': async (store, second) => ({
    params: { id: second ? (await store.the(the.staff)).staff.id : (await store.the(the.owner)).id },
  }),
  'PUT /api/v1/admin/stock': async (store, second) => ({
    body: {
      items: [{ variant_id: (await store.the(the.product)).variant.id, ...(second ? { quantity: 7 } : { change: 2 }) }],
    },
  }),
  'PUT /api/v1/admin/store': ({ ctx }, second) => ({
    body: { name: second ? 'One' : 'Two', storefront_url: ctx.tenant.storefrontUrl },
  }),
  'POST /api/v1/admin/subscriptions/:id/manage': async (store, second) => ({
    params: { id: (await store.the(the.subscription)).id },
    body: { action: second ? 'pause' : 'cancel' },
  }),
  'POST /api/v1/admin/subscriptions/:id/reactivate': idOf(the.subscription),
  'POST /api/v1/admin/suppressions/release': async (store) => {
    await store.the(the.suppression);
    return { body: { email: await adasEmail(store) } };
  },
  'POST /api/v1/admin/webhook-deliveries/:id/redeliver': idOf(the.delivery),
  'POST /api/v1/admin/webhook-endpoints': (_, second) => ({
    body: { url: 'https://hooks.example/two', events: [second ? 'order.*' : 'order.paid'] },
  }),
  'PATCH /api/v1/admin/webhook-endpoints/:id': async (store, second) => ({
    params: { id: (await store.the(the.endpoint)).id },
    body: second ? { url: 'https://hooks.example/two' } : { concurrency: 8 },
  }),
  'DELETE /api/v1/admin/webhook-endpoints/:id': idOf(the.endpoint),
  'POST /api/v1/admin/webhook-endpoints/:id/disable': idOf(the.endpoint),
  'POST /api/v1/admin/webhook-endpoints/:id/enable': idOf(the.endpoint),
  'POST /api/v1/admin/webhook-endpoints/:id/recover': async (store) => {
    await store.the(the.delivery);
    return {
      params: { id: (await store.the(the.endpoint)).id },
      body: { since: '2020-01-01T00:00:00Z', only: 'all' },
    };
  },
  'POST /api/v1/admin/webhook-endpoints/:id/rotate-secret': idOf(the.endpoint),
  'POST /api/v1/admin/webhook-endpoints/:id/test': idOf(the.endpoint),
  'POST /api/v1/analytics/events': () => ({ body: { events: [{ id: randomUUID(), type: 'page_view' }] } }),
  'POST /api/v1/billing-portal': async (store) => {
    await store.the(the.paymentAccount);
    return { body: { customer_email: await adasEmail(store), return_url: store.ctx.tenant.storefrontUrl } };
  },
  'POST /api/v1/cart': () => ({ body: {} }),
  'POST /api/v1/cart/apply-gift-card': async (store) => ({
    body: { code: (await store.the(the.giftCard)).code, orderTotal: 3800 },
  }),
  'POST /api/v1/cart/apply-promo': async (store) => ({
    body: { code: (await store.the(the.promo)).code, subtotalCents: 3800, customerEmail: await adasEmail(store) },
  }),
  'POST /api/v1/cart/restore': async (store) => ({ body: { token: (await store.the(the.savedCart)).restoreToken } }),
  'POST /api/v1/cart/save': async (store, second) => {
    await store.the(the.savedCart);
    const { slug } = await store.the(the.product);
    return {
      body: {
        email: await adasEmail(store),
        items: [{ product_slug: slug, quantity: second ? 2 : 3, unit_price_cents: 3800 }],
      },
    };
  },
  'POST /api/v1/cart/unsubscribe': async (store) => ({
    body: { token: (await store.the(the.savedCart)).unsubscribeToken },
  }),
  'POST /api/v1/cart/:id/items': async (store) => {
    const [{ id }, { variant }] = await Promise.all([store.the(the.cart), store.the(the.product)]);
    return { params: { id }, body: { variantId: variant.id, quantity: 1 } };
  },
  'PATCH /api/v1/cart/:id/items/:itemId': async (store, second) => {
    const { id, lines } = await store.the(the.cart);
    return { params: { id, itemId: lines[0]?.id ?? '' }, body: { quantity: second ? 2 : 3 } };
  },
  'DELETE /api/v1/cart/:id/items/:itemId': async (store) => {
    const { id, lines } = await store.the(the.cart);
    return { params: { id, itemId: lines[0]?.id ?? '' } };
  },
  'POST /api/v1/checkout/sessions': async (store, second) => {
    const input = await store.the(the.checkoutInput);
    return { body: second ? { ...input, cart_id: null, customer_email: 'bob@example.com' } : input };
  },
  'POST /api/v1/customer-portal': async (store) => {
    return { body: { customer_email: await adasEmail(store) } };
  },
  'POST /api/v1/customer-portal/cancel': async (store) => ({
    body: { subscription_id: (await store.the(the.subscription)).id },
  }),
  'POST /api/v1/customer-portal/returns': async (store, second) => {
    const { orderNumber, itemId } = await store.the(the.order);
    return { body: { order_number: orderNumber, items: [{ order_item_id: itemId, quantity: second ? 1 : 2 }] } };
  },
  'POST /api/v1/customer/magic-link/consume': async (store) => ({ body: { token: await store.the(the.signInLink) } }),
  'POST /api/v1/customer/magic-link/request': async (store) => {
    return { body: { email: await adasEmail(store) } };
  },
  'POST /api/v1/customer/refresh': async (store) => ({
    body: { refresh_token: (await store.the(the.session)).refreshToken },
  }),
  'POST /api/v1/customer/signout': () => ({}),
  'POST /api/v1/integrations/:provider/callback': async ({ ctx }) => {
    const body = JSON.stringify({ invoice: 7 });
    const at = ctx.clock.now();
    return {
      params: { provider: 'bookkeeper' },
      body,
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(await callSecretOf(ctx, 'bookkeeper')).sign('msg_1', at, body),
      },
    };
  },
  'POST /api/v1/leads': async (store, second) => ({
    body: { email: await adasEmail(store), name: second ? 'Ada' : 'Ada Wells' },
  }),
  'POST /api/v1/leads/quiz': async (store, second) => ({
    body: { email: await adasEmail(store), answers: { size: second ? 'S' : 'L' } },
  }),
  'POST /api/v1/leads/waitlist': async (store) => ({
    body: { email: await adasEmail(store), product_slug: (await store.the(the.product)).slug },
  }),
  'POST /api/v1/leads/wholesale': inquiry,
  'POST /api/v1/partners/apply': async (store) => ({ body: { name: 'Maker', email: await adasEmail(store) } }),
  'POST /api/v1/partners/track': async (store) => ({
    body: { code: (await store.the(the.partner)).code, session_id: 'one' },
  }),
  'POST /api/v1/products/:slug/reviews': async (store) => ({
    params: { slug: (await store.the(the.product)).slug },
    body: { rating: 4, email: await adasEmail(store) },
  }),
  'POST /api/v1/returns': async (store, second) => {
    const { orderNumber, itemId } = await store.the(the.order);
    const items = [{ order_item_id: itemId, quantity: second ? 1 : 2 }];
    return { body: { order_number: orderNumber, email: await adasEmail(store), items } };
  },
  'POST /api/v1/shipping/rates': async (store) => {
    await store.the(the.shippingAccount);
    return {};
  },
  'POST /api/v1/subscriptions/gift-checkout': async (store) => {
    await store.the(the.paymentAccount);
    const { slug, variant } = await store.the(the.product);
    return { body: { product_slug: slug, variant_id: variant.id, months: 2, recipient_email: await adasEmail(store) } };
  },
  'POST /api/v1/subscriptions/:id/manage': async (store, second) => ({
    params: { id: (await store.the(the.subscription)).id },
    body: { action: second ? 'resume' : 'cancel', at_period_end: false },
  }),
  'POST /api/v1/subscriptions/:id/reactivate': idOf(the.subscription),
  'POST /api/v1/wholesale': inquiry,
  'POST /api/webhooks/shippo/:tenant_slug': async (store) => {
    const { trackingNumber } = await store.the(the.label);
    await store.the(the.shippingAccount);
    const data = { object_id: 'x', tracking_number: trackingNumber, carrier: 'usps' };
    return { query: '?token=token-one', body: JSON.stringify({ event: 'track_updated', data }) };
  },
  'POST /api/webhooks/stripe/:tenant_slug': async (store) => {
    const { sessionId } = await store.the(the.checkout);
    payments.change(sessionId, { state: 'settled', paymentId: `pi_${sessionId}` });
    const event = { type: 'checkout.session.completed', subject: 'session', objectId: sessionId } as const;
    const { body, signature } = the.eventOf(store.ctx, event);
    // Looked up once and remembered, as in `SharedStore.create`.
    await liveWebhookSecrets(store.ctx);
    return { body, headers: { 'stripe-signature': signature } };
  },
};

import { ApiError } from '/client.js';
import { session, settings, storefront } from '../lib/api.js';
import { el, field, form } from '../lib/element.js';
import { go } from '../lib/router.js';
import { day, money, rhythms, store } from '../lib/store.js';
import { orderDetails } from './order-details.js';

const title = `Account · ${store.name}`;

/** Orders, subscriptions and returns of the signed-in customer; the sign-in form for others. */
export async function accountView() {
  if (!store.features.customer_accounts)
    return { title, node: el('div', { class: 'narrow' }, el('h1', {}, 'This store has no accounts')) };
  if (!(await session.customer())) return { title, node: doorView() };
  try {
    return { title, node: await portal() };
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return { title, node: doorView() };
    throw error;
  }
}

/** The link of the email: its token opens a session, once. */
export async function signInView(_, query) {
  try {
    await session.signIn({ token: query.get('token') ?? '' });
  } catch (error) {
    if (error.code !== 'invalid_or_expired_token' && error.code !== 'invalid_request') throw error;
    return {
      title,
      node: [
        el('p', { class: 'narrow note', role: 'alert' }, 'This link has been used or has expired. Request a new one.'),
        doorView(),
      ],
    };
  }
  const path = query.get('redirect_path') ?? '/account';
  // The account is shown instead of this view.
  await go(/^\/(?!\/)/.test(path) ? path : '/account', { replace: true });
  return { title, node: [] };
}

function doorView() {
  const node = el(
    'div',
    { class: 'narrow' },
    el('h1', {}, 'Sign in'),
    el('p', { class: 'soft' }, 'No password needed: we email you a link.'),
    form(
      {},
      async ({ email }) => {
        await storefront.requestMagicLink({ email, redirect_path: '/account' });
        node.replaceChildren(
          el('h1', {}, 'Check your email'),
          el(
            'p',
            { role: 'status' },
            `If ${email} has ordered here, a link is on its way. It works once, within 15 minutes.`,
          ),
          el(
            'p',
            {},
            el(
              'a',
              { class: 'button', href: settings.mailbox, target: '_blank', rel: 'noopener' },
              'Open the demo’s mailbox',
            ),
          ),
        );
      },
      el(
        'div',
        { class: 'row' },
        field('Email', { name: 'email', type: 'email', autocomplete: 'email', required: true }),
        el('button', { class: 'main' }, 'Send me a link'),
      ),
    ),
  );
  return node;
}

async function portal() {
  const [{ customer, orders, subscriptions, returns }, { products }] = await Promise.all([
    storefront.getCustomerPortal(),
    storefront.listProducts({ limit: 100 }),
  ]);
  const nameOf = (productId) => products.find(({ id }) => id === productId)?.name ?? 'Subscription';
  return el(
    'div',
    { class: 'narrow account' },
    el(
      'header',
      {},
      el(
        'div',
        {},
        el('h1', {}, customer.name ? `Hello, ${customer.name.split(' ')[0]}` : 'Hello'),
        el('p', { class: 'soft' }, customer.email),
      ),
      form(
        {},
        async () => {
          await session.signOut();
          await go('/account', { replace: true });
        },
        el('button', { class: 'link' }, 'Sign out'),
      ),
    ),
    section('Orders', orders, 'No orders yet.', orderRow),
    section('Subscriptions', subscriptions, 'No subscriptions.', (subscription) =>
      subscriptionRow(subscription, nameOf(subscription.product_id)),
    ),
    section('Returns', returns, 'No returns.', returnRow),
  );
}

function section(heading, things, empty, row) {
  return el(
    'section',
    {},
    el('h2', {}, heading),
    things.length === 0 ? el('p', { class: 'soft' }, empty) : el('ul', { class: 'things' }, things.map(row)),
  );
}

const orderWords = {
  unfulfilled: 'being packed',
  label_purchased: 'packed',
  shipped: 'on its way',
  delivered: 'delivered',
  returned: 'came back',
  exception: 'delayed',
  needs_attention: 'in preparation',
  not_required: 'complete',
};

function orderRow(order) {
  const paid =
    order.payment_status === 'processing'
      ? 'waiting for the bank'
      : order.payment_status === 'refunded'
        ? 'paid back'
        : orderWords[order.fulfillment_status];
  return el(
    'li',
    {},
    el(
      'details',
      {},
      el(
        'summary',
        {},
        el('strong', {}, order.order_number),
        el('span', { class: 'soft' }, day(order.created_at)),
        el('span', { class: 'state' }, paid),
        el('span', { class: 'amount' }, money(order.total_cents, order.currency)),
      ),
      orderDetails(order),
      order.labels.map(({ carrier, tracking_number: number, tracking_url: url }) =>
        el(
          'p',
          { class: 'soft' },
          `${carrier.toUpperCase()} `,
          url ? el('a', { href: url, target: '_blank', rel: 'noopener' }, number) : number,
        ),
      ),
      order.paid_at && order.payment_status !== 'refunded' && returnForm(order),
    ),
  );
}

function returnForm(order) {
  const node = form(
    { class: 'return' },
    async (values) => {
      const items = order.items
        .filter(({ id }) => values[id])
        .map(({ id, quantity }) => ({ order_item_id: id, quantity, ...(values.reason && { reason: values.reason }) }));
      if (items.length === 0) throw new ApiError('invalid_request', 'Choose what you want to return.');
      await storefront.createCustomerReturn({ order_number: order.order_number, items });
      await go('/account', { replace: true });
    },
    order.items.map((item) =>
      el(
        'label',
        { class: 'check' },
        el('input', { type: 'checkbox', name: item.id }),
        `${item.quantity > 1 ? `${item.quantity} × ` : ''}${item.name}`,
      ),
    ),
    field('Why', { name: 'reason', maxlength: 200, placeholder: 'Optional' }),
    el('button', {}, 'Request a return'),
  );
  return el('details', { class: 'more' }, el('summary', {}, 'Return items'), node);
}

function subscriptionRow(subscription, name) {
  const until = day(subscription.current_period_end);
  const isLive = subscription.status !== 'canceled';
  const state = !isLive
    ? 'ended'
    : subscription.cancel_at_period_end
      ? `ends on ${until}`
      : subscription.status === 'paused'
        ? 'paused'
        : `next on ${until}`;
  return el(
    'li',
    {},
    el(
      'div',
      { class: 'thing' },
      el('strong', {}, `${subscription.quantity > 1 ? `${subscription.quantity} × ` : ''}${name}`),
      el(
        'span',
        { class: 'soft' },
        `${money(subscription.unit_price_cents, subscription.currency)} ${rhythms[subscription.interval]}`,
      ),
      el('span', { class: 'state' }, state),
      isLive &&
        !subscription.cancel_at_period_end &&
        form(
          {},
          async () => {
            await storefront.cancelSubscription({ subscription_id: subscription.id });
            await go('/account', { replace: true });
          },
          el('button', { class: 'link' }, 'Cancel'),
        ),
    ),
  );
}

const returnWords = {
  requested: 'requested',
  approved: 'send it back',
  rejected: 'not accepted',
  received: 'received',
  refunded: 'paid back',
  closed: 'closed',
};

function returnRow(one) {
  return el(
    'li',
    {},
    el(
      'div',
      { class: 'thing' },
      el('strong', {}, one.number),
      el('span', { class: 'soft' }, day(one.created_at)),
      el('span', { class: 'state' }, returnWords[one.status]),
    ),
  );
}

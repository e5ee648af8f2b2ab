import { settings, storefront } from '../lib/api.js';
import { clearCart, readCart } from '../lib/cart.js';
import { el } from '../lib/element.js';
import { errorMessageOf } from '../lib/error-message.js';
import { storage } from '../lib/storage.js';
import { day, store } from '../lib/store.js';
import { orderDetails } from './order-details.js';

const over = {
  payment_failed: 'The payment did not go through. Nothing was charged.',
  expired: 'The checkout was not finished in time. Nothing was charged.',
  canceled: 'This order was canceled.',
};

/** The order of the URL, or the last one, polled until its status is final. */
export async function orderView() {
  const last = JSON.parse(storage.getItem('order') ?? 'null');
  const id = new URLSearchParams(location.search).get('id') ?? last?.id;
  if (!id) {
    return {
      title: `Order · ${store.name}`,
      node: el(
        'div',
        { class: 'narrow empty' },
        el('h1', {}, 'No order yet'),
        el('p', {}, el('a', { class: 'button', href: '/' }, 'Browse the products')),
      ),
    };
  }
  // Another tab may have begun another checkout since.
  const email = last?.id === id && last.email;
  const heading = el('h1', {}, 'Order');
  const said = el('p', { class: 'lead', role: 'status' });
  const steps = el('ol', { class: 'steps' });
  const details = el('div');
  const parcel = el('div');
  let timer;
  let shown = '';
  /** Polls more often after an action whose effect shows soon. */
  let quickPolls = 0;

  const poll = async () => {
    const status = await storefront.getCheckoutStatus(id).catch((error) => {
      said.textContent = errorMessageOf(error);
      return undefined;
    });
    if (status && JSON.stringify(status) !== shown) {
      shown = JSON.stringify(status);
      if (status.paid_at) await readCart();
      else if (status.payment_status === 'processing') clearCart();
      heading.textContent = `Order ${status.order_number}`;
      said.textContent = over[status.status] ?? messageFor(status);
      steps.replaceChildren(...stepsOf(status));
      parcel.replaceChildren(
        ...demonstration(status, () => {
          quickPolls = 10;
          clearTimeout(timer);
          return poll();
        }),
      );
      const order = email && (await storefront.getOrder(id, { email }).catch(() => undefined));
      if (order) details.replaceChildren(orderDetails(order.order));
    }
    quickPolls -= 1;
    if (!status || !isOver(status)) timer = setTimeout(poll, quickPolls > 0 ? 1000 : (status?.poll_after_ms ?? 3000));
  };
  await poll();
  return {
    title: `${heading.textContent} · ${store.name}`,
    node: el(
      'div',
      { class: 'narrow order' },
      heading,
      said,
      steps,
      parcel,
      details,
      el('p', { class: 'soft' }, 'The receipt comes by email. ', el('a', { href: '/account' }, 'All your orders')),
    ),
    leave: () => clearTimeout(timer),
  };
}

const isOver = ({ status, fulfillment_status: fulfillment, paid_at: paidAt }) =>
  Object.hasOwn(over, status) || (paidAt !== null && ['not_required', 'delivered', 'returned'].includes(fulfillment));

function messageFor({ payment_status: payment, fulfillment_status: fulfillment }) {
  if (payment === 'processing') return 'Your bank is still moving the money. We will continue as soon as it arrives.';
  if (payment === 'unpaid') return 'We are waiting for your payment to be confirmed.';
  if (payment === 'refunded') return 'Your money is on its way back to you.';
  return {
    unfulfilled: 'Thank you. Your payment has arrived, and your parcel is being packed.',
    label_purchased: 'Packed and labelled. It leaves with the next collection.',
    shipped: 'It is on its way to you.',
    delivered: 'It has arrived.',
    returned: 'The parcel came back to us.',
    exception: 'The carrier reports a problem. We are looking into it.',
    needs_attention: 'Thank you. Your payment has arrived; our team will send your parcel.',
    not_required: 'Thank you. There is nothing to ship: we will email you what you need.',
  }[fulfillment];
}

/** The steps of an order: completed and next ones. */
function stepsOf({ status, paid_at: paidAt, fulfillment_status: fulfillment, tracking: [label] }) {
  const reached = ['label_purchased', 'shipped', 'delivered', 'returned', 'exception'];
  const isFailed = Object.hasOwn(over, status);
  const step = (name, isDone, detail) =>
    el(
      'li',
      { class: isDone ? 'reached' : '' },
      el('strong', {}, name, isDone && el('span', { class: 'unseen' }, ' (done)')),
      detail && el('span', {}, detail),
    );
  const number =
    label &&
    (label.tracking_url
      ? el('a', { href: label.tracking_url, target: '_blank', rel: 'noopener' }, label.tracking_number)
      : label.tracking_number);
  return [
    step('Placed', true),
    step('Paid', paidAt !== null, paidAt && day(paidAt, { withTime: true })),
    ...(isFailed || fulfillment === 'not_required'
      ? []
      : [
          step('Packed', reached.includes(fulfillment), label && [`${label.carrier.toUpperCase()} `, number]),
          step('On its way', reached.slice(1).includes(fulfillment)),
          step('Delivered', fulfillment === 'delivered'),
        ]),
  ];
}

/** No carrier moves this parcel, so the visitor of the demo sets its status. */
function demonstration({ fulfillment_status: fulfillment, tracking: [label] }, pollAgain) {
  const next = { label_purchased: ['TRANSIT', 'Hand it to the carrier'], shipped: ['DELIVERED', 'Deliver it'] }[
    fulfillment
  ];
  if (!label || !next || !settings.movesParcels) return [];
  const [status, words] = next;
  return [
    el(
      'p',
      { class: 'demonstration' },
      'This is a demo: no carrier moves the parcel. ',
      el(
        'button',
        {
          class: 'link',
          async onclick({ currentTarget }) {
            currentTarget.disabled = true;
            await fetch(`/demonstration/parcels/${encodeURIComponent(label.tracking_number)}/${status}`, {
              method: 'POST',
            });
            await pollAgain();
          },
        },
        words,
      ),
    ),
  ];
}

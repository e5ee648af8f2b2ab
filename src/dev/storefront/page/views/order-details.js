import { el } from '../lib/element.js';
import { money, rhythms } from '../lib/store.js';

/** The lines, totals and address of an order. */
export function orderDetails(order) {
  const amount = (cents) => money(cents, order.currency);
  // Prices may include the tax, which is not added to them then.
  const untaxed = order.subtotal_cents - order.discount_cents - order.gift_card_cents + order.shipping_cents;
  const tax = order.total_cents === untaxed ? 'Tax (included)' : 'Tax';
  const row = (name, value, kind) => el('div', { class: kind }, el('dt', {}, name), el('dd', {}, value));
  return el(
    'div',
    { class: 'details' },
    el(
      'ul',
      { class: 'items' },
      order.items.map((item) =>
        el(
          'li',
          {},
          el(
            'span',
            {},
            item.quantity > 1 && `${item.quantity} × `,
            item.name,
            item.subscription_interval && ` · ${rhythms[item.subscription_interval]}`,
          ),
          el('span', { class: 'amount' }, amount(item.unit_price_cents * item.quantity)),
        ),
      ),
    ),
    el(
      'dl',
      { class: 'sums' },
      row('Subtotal', amount(order.subtotal_cents)),
      order.discount_cents > 0 && row('Discount', `−${amount(order.discount_cents)}`),
      order.gift_card_cents > 0 && row('Gift card', `−${amount(order.gift_card_cents)}`),
      row('Delivery', order.shipping_cents > 0 ? amount(order.shipping_cents) : 'free'),
      order.tax_cents > 0 && row(tax, amount(order.tax_cents)),
      row('Total', amount(order.total_cents), 'total'),
      order.refunded_cents > 0 && row('Refunded', amount(order.refunded_cents)),
    ),
    order.shipping_address &&
      el(
        'p',
        { class: 'address' },
        addressLines(order.shipping_address).flatMap((line) => [line, el('br')]),
      ),
  );
}

function addressLines({ name, street1, street2, city, state, zip, country }) {
  return [
    name,
    street1,
    street2,
    [city, [state, zip].filter(Boolean).join(' ')].filter(Boolean).join(', '),
    country,
  ].filter(Boolean);
}

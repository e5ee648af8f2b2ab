import { Html, html } from '#src/lib/html.ts';
import { fixedEmail } from '../checkout/shopper.ts';
import { formatMoney } from '../money.ts';
import type { Account, Cart } from '../state/account.ts';
import type { LineItem, Recurring, Session } from '../state/objects.ts';
import { layout } from './layout.ts';

const countryNames = new Intl.DisplayNames('en', { type: 'region' });

/** What the shopper has typed so far, and the error to show. */
export interface Attempt {
  readonly values: Readonly<Record<string, string>>;
  readonly error: string | null;
}

/** The hosted payment page. It needs no script: even the total follows the shipping option by style alone. */
export function payPage(account: Account, session: Session, cart: Cart, { values, error }: Attempt): string {
  const alert = error && html`<p class="error" role="alert">${error}</p>`;
  const back = session.cancel_url && html`<a class="back" href="${session.cancel_url}">← Back to the store</a>`;
  const content = html`
<div class="columns">
  <section aria-label="Your order">
    ${back}
    <h1>${session.mode === 'subscription' ? 'Subscribe' : 'Pay'}</h1>
    <p class="amount">${totals(session, cart)}</p>
    ${summary(session, cart)}
  </section>
  <form class="card" method="post">
    ${alert}
    <fieldset>
      <legend>Contact</legend>
      ${emailField(account, session, values)}
      ${cart.params.phone_number_collection?.enabled && field('phone', 'Phone', values, 'tel', true)}
    </fieldset>
    ${cart.params.shipping_address_collection && addressFields(cart, values)}
    ${session.shipping_options.length > 0 && shippingFields(account, session, values)}
    ${payButtons(session)}
    <p class="hint">A slow bank debit completes the checkout unpaid; it is settled or fails later.</p>
  </form>
</div>`;
  return layout(session.mode === 'subscription' ? 'Subscribe' : 'Pay', content, totalRules(session));
}

function summary(session: Session, { lines, coupon }: Cart): Html {
  const money = (amount: number): string => formatMoney(amount, session.currency);
  const { amount_discount: discount } = session.total_details;
  return html`
<ul class="lines">${lines.map((line) => lineRow(line))}</ul>
<dl class="sums">
  <div><dt>Subtotal</dt><dd>${money(session.amount_subtotal)}</dd></div>
  ${discount > 0 && html`<div><dt>${coupon?.name ?? 'Discount'}</dt><dd>−${money(discount)}</dd></div>`}
  ${session.shipping_options.length > 0 && html`<div><dt>Shipping</dt><dd>${shippingAmounts(session)}</dd></div>`}
  <div class="total"><dt>Total due today</dt><dd>${totals(session)}</dd></div>
</dl>`;
}

function lineRow(line: LineItem): Html {
  const { price, quantity, description, currency, amount_subtotal: subtotal } = line;
  const each = quantity > 1 && html`<small>Quantity ${quantity}</small>`;
  const rhythm = price.recurring && html`<small>${rhythmOf(price.recurring)}</small>`;
  return html`<li><span>${description}${each}${rhythm}</span>
    <span class="money">${formatMoney(subtotal, currency)}</span></li>`;
}

function rhythmOf({ interval, interval_count: count }: Recurring): string {
  return count === 1 ? `Billed every ${interval}` : `Billed every ${count} ${interval}s`;
}

function emailField(account: Account, session: Session, values: Attempt['values']): Html {
  const fixed = fixedEmail(account, session);
  const value = fixed ?? values['email'] ?? '';
  return html`<label>Email<input type="email" name="email" autocomplete="email" required value="${value}"
    ${fixed !== null && new Html('readonly')}></label>`;
}

function addressFields({ params }: Cart, values: Attempt['values']): Html {
  const countries = params.shipping_address_collection?.allowed_countries ?? [];
  const chosen = values['country'] ?? countries[0];
  const options = countries.map(
    (code) =>
      html`<option value="${code}" ${code === chosen && new Html('selected')}>${countryNames.of(code)}</option>`,
  );
  return html`
<fieldset>
  <legend>Ship to</legend>
  ${field('name', 'Full name', values, 'name', true)}
  ${field('line1', 'Address', values, 'address-line1', true)}
  ${field('line2', 'Apartment, suite (optional)', values, 'address-line2', false)}
  <div class="pair">
    ${field('city', 'City', values, 'address-level2', true)}
    ${field('state', 'State or region', values, 'address-level1', false)}
    ${field('postal_code', 'Postal code', values, 'postal-code', true)}
    <label>Country<select name="country" autocomplete="country">${options}</select></label>
  </div>
</fieldset>`;
}

function field(name: string, label: string, values: Attempt['values'], autocomplete: string, required: boolean): Html {
  const need = required && new Html('required');
  return html`<label>${label}<input name="${name}" autocomplete="${autocomplete}" value="${values[name]}"
    ${need}></label>`;
}

function shippingFields(account: Account, session: Session, values: Attempt['values']): Html {
  const chosen = Number(values['shipping_option'] ?? 0);
  const options = session.shipping_options.map(({ shipping_rate: rate, shipping_amount: amount }, index) => {
    const name = account.shippingRates.get(rate)?.display_name;
    const checked = index === chosen && new Html('checked');
    return html`<label class="choice"><input type="radio" name="shipping_option" id="ship-${index}"
      value="${index}" ${checked}>
      ${name}<span class="money">${amount === 0 ? 'Free' : formatMoney(amount, session.currency)}</span></label>`;
  });
  return html`<fieldset><legend>Shipping</legend>${options}</fieldset>`;
}

function payButtons(session: Session): Html {
  const verb = session.mode === 'subscription' ? 'Subscribe' : 'Pay';
  return html`
<fieldset>
  <legend>Payment</legend>
  <button class="primary" name="outcome" value="paid">${verb} with a card that works</button>
  <button name="outcome" value="declined">${verb} with a card that is declined</button>
  <button name="outcome" value="processing">${verb} by slow bank debit</button>
  ${session.mode === 'payment' && html`<button name="outcome" value="voucher">Pay in cash, with a voucher</button>`}
</fieldset>`;
}

/** The total for every shipping option; `totalRules` shows the one that is chosen. */
function totals(session: Session, cart?: Cart): Html {
  const net = session.amount_subtotal - session.total_details.amount_discount;
  const options = session.shipping_options.length > 0 ? session.shipping_options : [{ shipping_amount: 0 }];
  const rhythm = cart?.lines.find(({ price }) => price.recurring)?.price.recurring;
  const suffix = rhythm && html` <small class="rhythm">today</small>`;
  return html`${options.map(
    ({ shipping_amount: amount }, index) =>
      html`<span class="with-ship with-ship-${index}">${formatMoney(net + amount, session.currency)}</span>`,
  )}${suffix}`;
}

function shippingAmounts(session: Session): readonly Html[] {
  return session.shipping_options.map(
    ({ shipping_amount: amount }, index) =>
      html`<span class="with-ship with-ship-${index}">${formatMoney(amount, session.currency)}</span>`,
  );
}

function totalRules({ shipping_options: options }: Session): Html {
  const size = '.rhythm { font-size: 1rem; font-weight: 500; color: var(--soft); letter-spacing: 0; }';
  if (options.length < 2) return new Html(size);
  const shown = options.map((_, index) => `main:has(#ship-${index}:checked) .with-ship-${index} { display: inline; }`);
  return new Html(`${size} .with-ship { display: none; } ${shown.join(' ')}`);
}

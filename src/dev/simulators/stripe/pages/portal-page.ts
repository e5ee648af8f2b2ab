import { type Html, html } from '#src/lib/html.ts';
import { amountOf } from '../catalogue/price.ts';
import { formatMoney } from '../money.ts';
import type { Account } from '../state/account.ts';
import type { StripeObject, Subscription } from '../state/objects.ts';
import { layout } from './layout.ts';

/** The billing portal: a customer's subscriptions, each with a button to cancel or continue it. */
export function portalPage(account: Account, portal: StripeObject): string {
  const customer = account.customers.get(String(portal['customer']));
  const subscriptions = account.subscriptions
    .all()
    .filter((row) => row.customer === customer?.id)
    .reverse();
  const back =
    typeof portal['return_url'] === 'string' &&
    html`<a class="back" href="${portal['return_url']}">← Back to the store</a>`;
  const cards = subscriptions.map((subscription) => card(account, subscription));
  const nothing = subscriptions.length === 0 && html`<div class="card"><p>No subscriptions yet.</p></div>`;
  const owner = customer?.email ?? customer?.id;
  const title = html`<h1>Subscriptions of</h1><p class="amount">${owner}</p>`;
  const content = html`<div class="narrow">${back}${title}${cards}${nothing}</div>`;
  return layout('Billing', content);
}

function card(account: Account, subscription: Subscription): Html {
  const { id, status, items, currency } = subscription;
  const ends = subscription.cancel_at_period_end || subscription.cancel_at !== null;
  const until = items.data[0]?.current_period_end ?? account.now;
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(until * 1000);
  const lines = items.data.map(
    ({
      price,
      quantity,
    }) => html`<li><span>${account.products.get(price.product)?.name}<small>Quantity ${quantity}</small></span>
      <span class="money">${formatMoney(amountOf(price, quantity), currency)}</span></li>`,
  );
  return html`
<section class="card">
  <ul class="lines">${lines}</ul>
  <p class="hint">${state(status, ends, day)}</p>
  ${
    status !== 'canceled' &&
    html`<form method="post"><input type="hidden" name="subscription" value="${id}">
    <button name="action" value="${ends ? 'keep' : 'cancel'}">${
      ends ? 'Keep this subscription' : 'Cancel at the end of the period'
    }</button></form>`
  }
</section>`;
}

function state(status: Subscription['status'], ends: boolean, day: string): string {
  if (status === 'canceled') return 'Canceled.';
  if (ends) return `Ends on ${day}.`;
  return status === 'active' ? `Renews on ${day}.` : `Status: ${status.replace('_', ' ')}.`;
}

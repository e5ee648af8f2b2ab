import { nextStep, type OrderNeedingAttention } from '#src/domain/backoffice/index.ts';
import type { ComparedStore, DriftedOrder, EventGap } from '#src/domain/payments/index.ts';
import { type Html, html } from '#src/lib/html.ts';
import { ago, confirmed, moment, outcome, renderPage } from './layout.ts';

export interface DriftPage {
  readonly stores: readonly ComparedStore[];
  readonly orders: readonly DriftedOrder[];
  readonly gaps: readonly EventGap[];
  /** Orders that need an operator. */
  readonly waiting: readonly OrderNeedingAttention[];
  /** The slug of each store, by its id. */
  readonly slugs: ReadonlyMap<string, string>;
  readonly now: Date;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Where orders and payments do not agree, and what to do about each. */
export function renderDriftPage({ stores, orders, gaps, waiting, slugs, now, ...said }: DriftPage): string {
  const slugOf = ({ tenantId }: { readonly tenantId: string }) => slugs.get(tenantId) ?? '';
  const silent = stores.filter(({ silentSince }) => silentSince !== null);
  return renderPage({
    title: 'Payments',
    at: '/ops/drift',
    body: html`
      ${outcome(said)}
      <p class="lead">Once a day, the paid orders of every store are compared with its payments and renewals at the payment
        provider, in both directions.</p>
      ${silent.map((store) => renderSilence(store, slugOf(store), now))}
      ${gaps.map((gap) => renderGap(gap, slugOf(gap), now))}
      ${[...Map.groupBy(waiting, ({ code }) => code)].map(([code, orders], index) =>
        renderWaiting(code, orders, index, slugOf, now),
      )}
      <section id="drift">
        <header><h2>Differences</h2><span class="soft">the last 30 days</span></header>
        ${orders.length === 0 && html`<p class="soft">None. Orders and payments agree.</p>`}
        ${
          orders.length > 0 &&
          html`<table class="list">
          <thead><tr><th>Order</th><th>Store</th><th>Difference</th><th>Found</th><th></th></tr></thead>
          <tbody>${orders.map((order) => renderDrifted(order, slugOf(order), now))}</tbody>
        </table>`
        }
      </section>
      <section>
        <header><h2>Comparisons</h2></header>
        ${stores.length === 0 && html`<p class="soft">No store has its own payment account yet.</p>`}
        ${
          stores.length > 0 &&
          html`<table class="list">
          <thead><tr><th>Store</th><th>Period</th><th>Compared</th></tr></thead>
          <tbody>${stores.map(
            (store) => html`<tr>
            <td class="slug">${slugOf(store)}</td>
            <td class="soft text">${store.from && store.to ? `${moment(store.from)} to ${moment(store.to)}` : '–'}</td>
            <td>${store.comparedAt ? html`${ago(store.comparedAt, now)} ago` : 'not yet'}</td></tr>`,
          )}</tbody>
        </table>`
        }
      </section>`,
  });
}

function renderSilence({ silentSince }: ComparedStore, slug: string, now: Date): Html {
  return html`<section class="note">
    <header><h2>No webhooks arrive from the payment provider <code>inbound_webhook_silent</code></h2></header>
    <p>${slug}${silentSince && html`, for ${ago(silentSince, now)}`}.
      Events are still found by polling, minutes later.</p>
    <p class="soft">Check the endpoint in the provider's dashboard, or register it again:
      <code class="command">npm run cli -- webhooks:register ${slug} --replace</code></p>
  </section>`;
}

function renderGap({ from, to, finishedAt }: EventGap, slug: string, now: Date): Html {
  return html`<section class="note">
    <header><h2>Payment events were missed <code>payment_events_forgotten</code></h2></header>
    <p>${slug}, ${moment(from)} to ${moment(to)}: the events were not received within the 30 days that the provider
      lists them.</p>
    <p class="soft">${
      finishedAt
        ? html`Its payments, renewals, refunds, disputes and subscriptions of that time were checked instead,
          ${ago(finishedAt, now)} ago. No data was lost.`
        : 'Its payments, renewals, refunds, disputes and subscriptions of that time are being checked instead.'
    }</p>
  </section>`;
}

/** The overview page links to the first of these sections. */
function renderWaiting(
  code: string,
  orders: readonly OrderNeedingAttention[],
  index: number,
  slugOf: (order: OrderNeedingAttention) => string,
  now: Date,
): Html {
  return html`<section class="note"${index === 0 ? html` id="orders"` : ''}>
    <header><h2>${nextStep(code)} <code>${code}</code></h2></header>
    <table class="list">
      <thead><tr><th>Order</th><th>Store</th><th>Problem</th><th>Waiting</th><th></th></tr></thead>
      <tbody>${orders.map(
        (order) => html`<tr>
        <td class="slug">${order.orderNumber}</td>
        <td class="slug">${slugOf(order)}</td>
        <td class="soft text">${order.detail}</td>
        <td data-name="waiting">${ago(order.updatedAt, now)}</td>
        <td>${confirmed(
          `/ops/drift/${slugOf(order)}/orders/${order.id}/dismiss`,
          'Dismiss',
          'Confirm: it is solved',
          { code },
          order.orderNumber,
        )}</td></tr>`,
      )}</tbody>
    </table>
  </section>`;
}

const findings: Readonly<Record<DriftedOrder['kind'], string>> = {
  unpaid_here: 'Paid at the provider but not here. The comparison marked the order as paid.',
  unpaid_there: 'Paid here, but the provider has no such payment.',
  unmade_renewal: 'A renewal was paid at the provider but had no order. The comparison created it.',
  no_order: 'Paid at the provider, but there is no such order here. Check the payment at the provider.',
};

function renderDrifted({ orderNumber, kind, foundAt, isOpen }: DriftedOrder, slug: string, now: Date): Html {
  return html`<tr>
    <td class="slug">${orderNumber}</td>
    <td class="slug">${slug}</td>
    <td class="soft text">${findings[kind]}</td>
    <td>${ago(foundAt, now)} ago</td>
    <td>${
      isOpen ? (kind === 'no_order' ? 'Needs attention' : html`<a href="#orders">Needs attention</a>`) : 'Fixed'
    }</td>
  </tr>`;
}

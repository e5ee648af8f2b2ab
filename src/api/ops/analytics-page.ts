import type { Backlog, DailyReport, FunnelReport, TenantNumbers } from '#src/domain/analytics/index.ts';
import type { ZeroResultSearch } from '#src/domain/search/index.ts';
import type { Tenant } from '#src/domain/tenants/index.ts';
import { formatMoney } from '#src/lib/format-money.ts';
import { type Html, html } from '#src/lib/html.ts';
import { barChart, chartStyle, funnelChart } from './chart.ts';
import { ago, button, count, outcome, renderPage } from './layout.ts';

/** The backlog of events and the busiest stores. */
export function renderAnalyticsPage({
  backlog,
  quarantined,
  stores,
  now,
}: {
  backlog: Backlog;
  quarantined: number;
  stores: readonly (TenantNumbers & { readonly slug: string })[];
  now: Date;
}): string {
  return renderPage({
    title: 'Analytics',
    at: '/ops/analytics',
    body: html`
      <p class="lead">${
        backlog.oldestAt
          ? html`${count(backlog.events)} events in ${batches(backlog.batches)} wait to be counted, the oldest for
            ${ago(backlog.oldestAt, now)}.`
          : 'All received events are counted.'
      }</p>
      ${
        quarantined > 0 &&
        html`<p>${batches(quarantined)} could not be counted and ${quarantined === 1 ? 'is' : 'are'} quarantined:
        see the failed jobs of the queue <a href="/ops/queues/queue/analytics?status=failed">analytics</a>.</p>`
      }
      <section>
        <header><h2>Stores</h2><span class="soft">the last 30 days</span></header>
        <table class="numbers">
          <thead><tr><th>Store</th><th>Events</th><th>Sessions</th><th>Orders</th></tr></thead>
          <tbody>${stores.map(
            ({ slug, events, sessions, orders }) => html`<tr>
            <td><a href="/ops/analytics/${slug}">${slug}</a></td>
            <td>${count(events)}</td><td>${count(sessions)}</td><td>${count(orders)}</td></tr>`,
          )}</tbody>
        </table>
        ${
          stores.length === 0 &&
          html`<p class="soft">No events yet. Storefronts send them, and each paid order is one.</p>`
        }
      </section>`,
  });
}

const batches = (number: number) => `${count(number)} ${number === 1 ? 'batch' : 'batches'}`;

export interface StorePage {
  readonly tenant: Tenant;
  readonly funnel: FunnelReport;
  readonly daily: DailyReport;
  readonly zeroResultSearches: readonly ZeroResultSearch[];
  readonly now: Date;
  readonly done?: string | undefined;
}

const stepNames = { viewed: 'Viewed', cart: 'In a cart', checkout: 'Checkout', paid: 'Paid' } as const;

/** One store's charts and daily numbers. */
export function renderStoreAnalyticsPage({ tenant, funnel, daily, zeroResultSearches, now, done }: StorePage): string {
  const money = (cents: number) => formatMoney(cents, tenant.currency, tenant.locale);
  const series = (name: 'events' | 'sessions' | 'orders' | 'revenue_cents') =>
    daily.days.map((day) => ({ label: day.day.slice(5), value: day[name] }));
  const chart = (
    title: string,
    name: Parameters<typeof series>[0],
    format: (value: number) => string,
  ): Html => html`<section>
    <header>
      <h2>${title}</h2>
      <span class="soft">${format(series(name).reduce((sum, { value }) => sum + value, 0))} in total</span>
    </header>
    ${barChart({ title: `${title} by day`, bars: series(name), format })}</section>`;
  return renderPage({
    title: tenant.name,
    at: '/ops/analytics',
    body: html`${chartStyle}
      <p class="lead">${funnel.from} to ${funnel.to}, days in UTC. Bots are not counted. Revenue is the total of paid
        orders.</p>
      ${outcome({ done })}
      <section>
        <header><h2>Funnel</h2></header>
        ${funnelChart({
          title: 'Sessions by step',
          format: count,
          bars: funnel.steps.map(({ step, sessions }) => ({ label: stepNames[step], value: sessions })),
        })}
      </section>
      ${chart('Sessions', 'sessions', count)}
      ${chart('Orders', 'orders', count)}
      ${chart('Revenue', 'revenue_cents', money)}
      ${chart('Events', 'events', count)}
      <section>
        <header><h2>Searches without results</h2></header>
        ${zeroResultSearches.length === 0 && html`<p class="soft">None.</p>`}
        <table><tbody>${zeroResultSearches.map(
          ({ query, count: times, lastAt }) => html`<tr>
          <td>${query}</td><td class="soft">${ago(lastAt, now)} ago</td><td>${count(times)} ×</td></tr>`,
        )}</tbody></table>
      </section>
      <section>
        <header>
          <h2>Daily numbers</h2>
          ${button(`/ops/analytics/${tenant.slug}/rebuild`, 'Recalculate these days')}
        </header>
        <table class="numbers">
          <thead><tr><th>Day</th><th>Events</th><th>Sessions</th><th>Orders</th><th>Revenue</th></tr></thead>
          <tbody>${daily.days.toReversed().map(
            ({ day, events, sessions, orders, revenue_cents: revenue }) => html`<tr>
            <td>${day}</td><td>${count(events)}</td><td>${count(sessions)}</td>
            <td>${count(orders)}</td><td>${money(revenue)}</td></tr>`,
          )}</tbody>
        </table>
      </section>`,
  });
}

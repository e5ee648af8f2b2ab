import type { FailedDelivery, FailingEndpoint } from '#src/domain/webhooks/index.ts';
import { type Html, html } from '#src/lib/html.ts';
import { ago, button, count, outcome, renderPage } from './layout.ts';

export interface WebhooksPage {
  readonly endpoints: readonly FailingEndpoint[];
  readonly deliveries: readonly FailedDelivery[];
  /** How many deliveries failed, shown or not. */
  readonly total: number;
  /** The slug of each store, by its id. */
  readonly stores: ReadonlyMap<string, string>;
  readonly now: Date;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Endpoints that are failing or were disabled, and deliveries that failed. */
export function renderWebhooksPage({ endpoints, deliveries, total, stores, now, done, problem }: WebhooksPage): string {
  const quiet = endpoints.length === 0 && deliveries.length === 0;
  return renderPage({
    title: 'Webhooks',
    at: '/ops/webhooks',
    body: html`
      <p class="lead">${
        quiet
          ? 'All endpoints are working.'
          : 'Failed deliveries are stored and can be sent again. Receivers recognise a repeated webhook by its id.'
      }</p>
      ${outcome({ done, problem })}
      ${endpoints.map((endpoint) => renderEndpoint(endpoint, stores.get(endpoint.tenantId) ?? '', now))}
      ${
        deliveries.length > 0 &&
        html`<section id="deliveries">
        <header>
          <h2>Failed deliveries</h2>
          <span class="soft">${count(total)} ${total === 1 ? 'delivery' : 'deliveries'}</span>
        </header>
        <table class="list">
          <thead><tr>
            <th>Event</th><th>Store</th><th>Endpoint</th><th>Last response</th><th>Failed</th><th></th>
          </tr></thead>
          <tbody>${deliveries.map((delivery) =>
            renderDelivery(delivery, stores.get(delivery.tenantId) ?? '', now),
          )}</tbody>
        </table>
        ${total > deliveries.length && html`<p class="soft">The newest ${deliveries.length} are shown.</p>`}
      </section>`
      }`,
  });
}

function renderEndpoint(endpoint: FailingEndpoint, slug: string, now: Date): Html {
  const { id, url, disabledAt, waiting } = endpoint;
  const path = `/ops/webhooks/${slug}/endpoints/${id}`;
  const since = endpoint.failingSince ?? disabledAt ?? now;
  return html`<section class="note">
    <header><h2>${headingOf(endpoint)}</h2>${disabledAt && button(`${path}/enable`, 'Enable', {}, { kind: 'main', about: url })}</header>
    <p class="url">${url}</p>
    <p class="soft">${slug} · ${factsOf(endpoint, now)}${
      waiting > 0 && ` · ${count(waiting)} ${waiting === 1 ? 'delivery waits' : 'deliveries wait'}`
    }</p>
    ${
      disabledAt
        ? html`<p class="soft">After enabling it, you can send again what it missed.</p>`
        : html`<form method="post" action="${path}/recover" class="actions">
          <label>Send again what it missed since (UTC)
            <input type="date" name="since" required value="${since.toISOString().slice(0, 10)}"></label>
          <button aria-label="Send again to ${url}">Send again</button></form>`
    }
  </section>`;
}

function headingOf({ disabledReason, pausedUntil }: FailingEndpoint): string {
  if (disabledReason === 'gone') return 'Disabled: it responded 410 Gone';
  if (disabledReason === 'failing') return 'Disabled after failing for days';
  return pausedUntil ? 'Failing, paused' : 'Failing';
}

function factsOf({ failingSince, failures, disabledAt, pausedUntil }: FailingEndpoint, now: Date): Html {
  const times = `${count(failures)} ${failures === 1 ? 'failure' : 'failures'}`;
  return html`${failingSince && html`failing for ${ago(failingSince, now)}, ${times}`}${
    disabledAt && html`${failingSince && ' · '}disabled ${ago(disabledAt, now)} ago`
  }${
    !disabledAt &&
    pausedUntil &&
    pausedUntil > now &&
    html` · next attempt at ${pausedUntil.toISOString().slice(11, 16)} UTC`
  }`;
}

function renderDelivery(delivery: FailedDelivery, slug: string, now: Date): Html {
  const { id, type, eventId, url, attemptCount, lastStatus, lastFailure, finishedAt } = delivery;
  const response = [lastStatus, lastFailure].filter(Boolean).join(', ') || 'none';
  return html`<tr>
    <td><span title="${eventId}">${type}</span></td>
    <td class="slug">${slug}</td>
    <td class="soft url text">${url}</td>
    <td class="soft text">${response}, ${attemptCount} ${attemptCount === 1 ? 'attempt' : 'attempts'}</td>
    <td data-name="failed">${ago(finishedAt, now)} ago</td>
    <td>${button(`/ops/webhooks/${slug}/deliveries/${id}/redeliver`, 'Send again', {}, { about: `${type} ${eventId}` })}</td>
  </tr>`;
}

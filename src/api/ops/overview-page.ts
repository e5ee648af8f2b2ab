import { queues } from '#jobs/queues.ts';
import { type AttentionReason, adviceFor, type Operations, type QueueState } from '#src/domain/backoffice/index.ts';
import { isReasonCode } from '#src/domain/shipping/index.ts';
import { type Html, html, type Piece } from '#src/lib/html.ts';
import { ago, count, renderPage } from './layout.ts';

export interface OverviewPage {
  readonly operations: Operations;
  /** While Redis is unavailable no job runs, and none is lost. */
  readonly isRedisAway: boolean;
}

/** What needs attention, the state of every queue, and the lag of external systems. */
export function renderOverviewPage({ operations, isRedisAway }: OverviewPage): string {
  const { attention, queues: states, at } = operations;
  return renderPage({
    title: 'Operations',
    at: '/ops',
    body: html`
      <p class="lead">${
        attention.length === 0 ? 'Nothing needs attention.' : 'Some things need attention. No data was lost.'
      }</p>
      ${
        isRedisAway &&
        html`<section class="note">Redis is unavailable. Stores keep selling; jobs run when it is back.</section>`
      }
      ${
        attention.length > 0 &&
        html`<section>
        <header><h2>Needs attention</h2></header>
        <table class="list">
          <thead><tr><th>Count</th><th>Problem and next step</th><th>Waiting</th><th></th></tr></thead>
          <tbody>${attention.map((kind) => renderAttention(kind, at))}</tbody>
        </table>
      </section>`
      }
      <section>
        <header><h2>Queues</h2><a href="/ops/queues">All jobs</a></header>
        <table class="numbers">
          <thead><tr>
            <th>Queue</th><th class="wide"></th><th>Due</th><th>Oldest</th><th>Scheduled</th><th>Failed</th>
          </tr></thead>
          <tbody>${states.map((state) => renderQueue(state, at))}</tbody>
        </table>
      </section>
      <section>
        <header><h2>Current state</h2></header>
        <table class="facts">${factsOf(operations).map(
          ([name, fact]) => html`<tr><th>${name}</th><td>${fact}</td></tr>`,
        )}</table>
      </section>`,
  });
}

/** Where something can be done about it. */
function pageOf({ kind, code }: AttentionReason): string {
  switch (kind) {
    case 'payments':
      return '/ops/drift';
    case 'order':
      return '/ops/drift#orders';
    case 'label':
    case 'shipping':
      return isReasonCode(code) ? `/ops/labels#${code}` : '/ops/labels';
    case 'duplicate_label':
      return '/ops/labels';
    case 'webhook_endpoint':
      return '/ops/webhooks';
    case 'webhook_delivery':
      return '/ops/webhooks#deliveries';
    case 'email':
      return '/ops/emails';
    case 'erasure':
      return '/ops/queues/queue/bulk?status=failed';
  }
}

function renderAttention(attention: AttentionReason, at: Date): Html {
  const { message, next } = adviceFor(attention);
  return html`<tr>
    <td class="number">${count(attention.count)}</td>
    <td class="text">${message} <code>${attention.code}</code><br><span class="soft">${next}</span></td>
    <td data-name="waiting">${ago(attention.oldestAt, at)}</td>
    <td><a href="${pageOf(attention)}" aria-label="View: ${message}">View</a></td>
  </tr>`;
}

function renderQueue({ queue, due, oldestDueAt, later, failed }: QueueState, at: Date): Html {
  return html`<tr>
    <td><a href="/ops/queues/queue/${queue}">${queue}</a></td>
    <td class="soft wide">${queues[queue].about}</td>
    <td>${count(due)}</td>
    <td>${oldestDueAt ? ago(oldestDueAt, at) : '–'}</td>
    <td>${count(later)}</td>
    <td>${failed > 0 ? html`<a href="/ops/queues/queue/${queue}?status=failed">${count(failed)}</a>` : '0'}</td>
  </tr>`;
}

function factsOf({
  at,
  oldestUnrelayedAt,
  reconcileLag: lag,
  unknownLabels,
  deliveries,
  pausedEndpoints,
  analytics,
}: Operations): [string, Piece][] {
  return [
    [
      'Relay',
      oldestUnrelayedAt ? html`the oldest due job has waited ${ago(oldestUnrelayedAt, at)} to be queued` : 'up to date',
    ],
    [
      'Payments',
      lag.count > 0
        ? `${count(lag.count)} ${lag.count === 1 ? 'event' : 'events'} in the last 10 minutes, applied after ` +
          `${seconds(lag.medianSeconds)} (median), ${seconds(lag.p95Seconds)} (p95), ${seconds(lag.maxSeconds)} (max)`
        : 'no events in the last 10 minutes',
    ],
    [
      'Labels',
      unknownLabels.count > 0 && unknownLabels.oldestAt
        ? html`${count(unknownLabels.count)} ${unknownLabels.count === 1 ? 'purchase' : 'purchases'} with an unknown outcome,
          the oldest for ${ago(unknownLabels.oldestAt, at)}; each is looked up before another purchase`
        : 'no purchase with an unknown outcome',
    ],
    [
      'Webhooks',
      [
        deliveries.oldestAt
          ? html`${count(deliveries.count)} due, the oldest for ${ago(deliveries.oldestAt, at)}`
          : 'none due',
        pausedEndpoints > 0 &&
          html`; ${count(pausedEndpoints)} ${pausedEndpoints === 1 ? 'endpoint is' : 'endpoints are'} paused`,
      ],
    ],
    [
      'Analytics',
      analytics.oldestAt
        ? html`${count(analytics.events)} ${analytics.events === 1 ? 'event waits' : 'events wait'} to be counted,
          the oldest for ${ago(analytics.oldestAt, at)}`
        : 'up to date',
    ],
  ];
}

const seconds = (value: number) => (value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`);

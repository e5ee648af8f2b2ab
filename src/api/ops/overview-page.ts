import { queues } from '#jobs/queues.ts';
import { type Attention, nextStep, type Operations, type QueueState } from '#src/domain/backoffice/index.ts';
import { isReasonCode, reasons } from '#src/domain/shipping/index.ts';
import { type Html, html, type Piece } from '#src/lib/html.ts';
import { ago, count, renderPage } from './layout.ts';

export interface OverviewPage {
  readonly operations: Operations;
  /** Then nothing is worked, and nothing is lost. */
  readonly isRedisAway: boolean;
}

/** What needs a person, how every queue stands, and what waits for the outside world. */
export function renderOverviewPage({ operations, isRedisAway }: OverviewPage): string {
  const { attention, queues: states, at } = operations;
  return renderPage({
    title: 'Operations',
    at: '/ops',
    body: html`
      <p class="lead">${attention.length === 0 ? 'Nothing needs you.' : 'Nothing is lost; this waits for somebody.'}</p>
      ${isRedisAway && html`<section class="note">Redis is away: the shops sell on, and what is promised is worked once it is back.</section>`}
      ${
        attention.length > 0 &&
        html`<section>
        <header><h2>What needs somebody</h2></header>
        <table class="list">
          <thead><tr><th>How many</th><th>What is the matter, and what to do</th><th>Waiting</th><th></th></tr></thead>
          <tbody>${attention.map((kind) => renderAttention(kind, at))}</tbody>
        </table>
      </section>`
      }
      <section>
        <header><h2>Queues</h2><a href="/ops/queues">The board</a></header>
        <table class="numbers">
          <thead><tr><th>Queue</th><th class="wide"></th><th>Due</th><th>Oldest</th><th>For later</th><th>Failed</th></tr></thead>
          <tbody>${states.map((state) => renderQueue(state, at))}</tbody>
        </table>
      </section>
      <section>
        <header><h2>The outside world</h2></header>
        <table class="facts">${factsOf(operations).map(([name, fact]) => html`<tr><th>${name}</th><td>${fact}</td></tr>`)}</table>
      </section>`,
  });
}

interface Advice {
  readonly sentence: string;
  readonly next: string;
  /** Where something can be done about it. */
  readonly address: string;
}

function adviceFor({ kind, code }: Attention): Advice {
  switch (kind) {
    case 'payments':
      return code === 'payment_events_forgotten'
        ? {
            sentence: 'The payment provider has forgotten events that were never taken in.',
            next: 'What they were about is looked through instead.',
            address: '/ops/drift',
          }
        : {
            sentence: "The payment provider's webhooks do not arrive.",
            next: 'Sweeps bring the events, only later. Register the endpoint again.',
            address: '/ops/drift',
          };
    case 'order':
      return {
        sentence: "An order's money or goods want a person.",
        next: nextStep(code),
        address: '/ops/drift#orders',
      };
    case 'label':
      return isReasonCode(code)
        ? { sentence: reasons[code].message, next: reasons[code].next, address: `/ops/labels#${code}` }
        : { sentence: 'A label waits.', next: 'Look at it.', address: '/ops/labels' };
    case 'duplicate_label':
      return {
        sentence: 'A second label was bought for an order.',
        next: nextStep('duplicate_voided'),
        address: '/ops/labels',
      };
    case 'shipping':
      return {
        sentence: reasons.provider_auth.message,
        next: reasons.provider_auth.next,
        address: '/ops/labels#provider_auth',
      };
    case 'webhook_endpoint':
      return code === 'failing'
        ? {
            sentence: 'A webhook endpoint does not answer well.',
            next: 'Tell its owner. Once it works, send it what it missed.',
            address: '/ops/webhooks',
          }
        : {
            sentence: 'A webhook endpoint said that it is gone.',
            next: 'Ask its owner; if that was a mistake, switch it on again.',
            address: '/ops/webhooks',
          };
    case 'webhook_delivery':
      return {
        sentence: 'A webhook was given up after its last try.',
        next: 'Once its endpoint works again, send it again.',
        address: '/ops/webhooks#deliveries',
      };
  }
}

function renderAttention(attention: Attention, at: Date): Html {
  const { sentence, next, address } = adviceFor(attention);
  return html`<tr>
    <td class="number">${count(attention.count)}</td>
    <td class="text">${sentence} <code>${attention.code}</code><br><span class="soft">${next}</span></td>
    <td>${ago(attention.oldestAt, at)}</td>
    <td><a href="${address}">Look</a></td>
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
      oldestUnrelayedAt
        ? html`the oldest due promise has waited ${ago(oldestUnrelayedAt, at)} for it`
        : 'carries everything at once',
    ],
    [
      'Payments',
      lag.count > 0
        ? `${count(lag.count)} events in ten minutes, applied after ${seconds(lag.medianSeconds)} (median), ${seconds(lag.p95Seconds)} (95 %), ${seconds(lag.maxSeconds)} at most`
        : 'no events in ten minutes',
    ],
    [
      'Labels',
      unknownLabels.count > 0 && unknownLabels.oldestAt
        ? html`${count(unknownLabels.count)} purchases of which nobody knows whether they happened, the oldest for ${ago(unknownLabels.oldestAt, at)}; each is looked up before anything is bought`
        : 'no purchase of unknown outcome',
    ],
    [
      'Webhooks',
      [
        deliveries.oldestAt
          ? html`${count(deliveries.count)} due, the oldest for ${ago(deliveries.oldestAt, at)}`
          : 'none due',
        pausedEndpoints > 0 &&
          html`; ${count(pausedEndpoints)} ${pausedEndpoints === 1 ? 'endpoint is' : 'endpoints are'} spared for a while`,
      ],
    ],
    [
      'Analytics',
      analytics.oldestAt
        ? html`${count(analytics.events)} events wait to be folded, the oldest for ${ago(analytics.oldestAt, at)}`
        : 'everything is folded',
    ],
  ];
}

const seconds = (value: number) => (value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`);

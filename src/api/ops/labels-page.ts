import {
  type DuplicateLabel,
  isReasonCode,
  type LabelsForOperators,
  reasons,
  type WaitingLabel,
} from '#src/domain/shipping/index.ts';
import { type Html, html } from '#src/lib/html.ts';
import { delayOf } from './label-page.ts';
import { ago, button, moment, outcome, renderPage } from './layout.ts';

export interface LabelsPage extends LabelsForOperators {
  /** The slug of each store, by its id. */
  readonly stores: ReadonlyMap<string, string>;
  readonly now: Date;
  readonly done?: string | undefined;
}

/** Every label that needs attention, grouped by reason, and those that wait for their next attempt. */
export function renderLabelsPage({ labels, total, delayed, duplicates, stores, now, done }: LabelsPage): string {
  const groups = Map.groupBy(labels, ({ reasonCode }) => reasonCode ?? '');
  return renderPage({
    title: 'Labels',
    at: '/ops/labels',
    body: html`
      <p class="lead">${
        total === 0 ? 'No label needs attention.' : `${total} ${total === 1 ? 'label needs' : 'labels need'} attention.`
      }
        Their orders are paid. A retry never buys a second label.</p>
      ${outcome({ done })}
      ${[...groups].map(([code, labels]) => renderGroup(code, labels, stores, now))}
      ${duplicates.length > 0 && renderDuplicates(duplicates, stores, now)}
      ${total > labels.length && html`<p class="soft">${labels.length} are shown.</p>`}
      ${delayed.length > 0 && renderDelayed(delayed, stores, now)}`,
  });
}

function renderGroup(code: string, labels: readonly WaitingLabel[], stores: LabelsPage['stores'], now: Date): Html {
  const reason = isReasonCode(code) ? reasons[code] : undefined;
  const hasDetails = labels.some(({ reasonDetail }) => reasonDetail);
  return html`<section id="${code}">
    <header><h2>${reason?.message ?? code} <code>${code}</code></h2>
      ${
        labels.length > 1 &&
        reason?.fails &&
        button('/ops/labels/retry', `Retry all ${labels.length}`, { reason: code }, { about: reason.message })
      }</header>
    <p class="soft">${reason?.next}</p>
    <table class="list aligned">
      <thead><tr>
        <th>Order</th><th>Store</th><th>${hasDetails && 'Provider message'}</th><th>Waiting</th><th></th>
      </tr></thead>
      <tbody>${labels.map((label) => renderRow(label, stores.get(label.tenantId) ?? '', now))}</tbody>
    </table>
  </section>`;
}

function renderRow(label: WaitingLabel, slug: string, now: Date): Html {
  const url = `/ops/labels/${slug}/${label.id}`;
  return html`<tr>
    <td class="slug"><a href="${url}">${label.orderNumber}</a></td>
    <td class="slug">${slug}</td>
    <td class="soft text">${label.reasonDetail}</td>
    <td data-name="waiting">${ago(label.updatedAt, now)}</td>
    <td>${renderAction(label, url)}</td>
  </tr>`;
}

function renderDelayed(delayed: readonly WaitingLabel[], stores: LabelsPage['stores'], now: Date): Html {
  return html`<section id="delayed">
    <header><h2>Waiting for the next attempt</h2></header>
    <p class="soft">They are tried again automatically, and need attention if the last attempt fails, too.</p>
    <table class="list">
      <thead><tr>
        <th>Order</th><th>Store</th><th>Last error</th><th>Next attempt</th><th>Waiting</th><th></th>
      </tr></thead>
      <tbody>${delayed.map((label) => {
        const slug = stores.get(label.tenantId) ?? '';
        const url = `/ops/labels/${slug}/${label.id}`;
        return html`<tr>
          <td class="slug"><a href="${url}">${label.orderNumber}</a></td>
          <td class="slug">${slug}</td>
          <td class="soft text">${delayOf(label)}</td>
          <td class="slug" data-name="next attempt">${label.nextAttemptAt && moment(label.nextAttemptAt)}</td>
          <td data-name="waiting">${ago(label.updatedAt, now)}</td>
          <td>${button(`${url}/retry`, 'Retry', {}, { about: label.orderNumber })}</td>
        </tr>`;
      })}</tbody>
    </table>
  </section>`;
}

/** The action that helps: a retry alone does not correct an address or find other rates. */
function renderAction({ reasonCode, isOpen, orderNumber }: WaitingLabel, url: string): Html {
  if (!isOpen && (reasonCode === 'missing_address' || reasonCode === 'address_invalid'))
    return html`<a href="${url}#address" aria-label="Correct the address of ${orderNumber}">Correct the address</a>`;
  if (!isOpen && (reasonCode === 'international' || reasonCode === 'cost_cap' || reasonCode === 'no_matching_rate'))
    return html`<a href="${url}?rates=1#rates" aria-label="Choose a rate for ${orderNumber}">Choose a rate</a>`;
  return button(`${url}/retry`, 'Retry', {}, { about: orderNumber });
}

const duplicateStates: Readonly<Record<DuplicateLabel['state'], string>> = {
  found: 'being refunded',
  duplicate_voided: 'refund requested',
  refund_refused: 'refund rejected by the provider',
};

function renderDuplicates(duplicates: readonly DuplicateLabel[], stores: LabelsPage['stores'], now: Date): Html {
  return html`<section class="note">
    <header><h2>A second label was purchased <code>duplicate_voided</code></h2></header>
    <p class="soft">Make sure that the parcel carries the first label, then acknowledge the second one.</p>
    <table class="list aligned">
      <thead><tr><th>Order</th><th>Store</th><th>Second label</th><th>Found</th><th></th></tr></thead>
      <tbody>${duplicates.map((duplicate) => {
        const slug = stores.get(duplicate.tenantId) ?? '';
        return html`<tr>
          <td class="slug">${duplicate.orderNumber}</td>
          <td class="slug">${slug}</td>
          <td class="soft text">${duplicateStates[duplicate.state]}</td>
          <td data-name="found">${ago(duplicate.foundAt, now)} ago</td>
          <td>${button(
            `/ops/labels/${slug}/duplicates/${encodeURIComponent(duplicate.purchaseId)}`,
            'Acknowledge',
            { order_id: duplicate.orderId },
            { about: duplicate.orderNumber },
          )}</td>
        </tr>`;
      })}</tbody>
    </table>
  </section>`;
}

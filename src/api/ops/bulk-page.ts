import type { OpenOperation } from '#src/domain/bulk/index.ts';
import { type Html, html } from '#src/lib/html.ts';
import { ago, confirmed, count, outcome, renderPage } from './layout.ts';

export interface BulkPage {
  readonly operations: readonly OpenOperation[];
  /** The slug of each store, by its id. */
  readonly slugs: ReadonlyMap<string, string>;
  readonly now: Date;
  readonly done?: string | undefined;
  readonly isStill: boolean;
}

/** The operations in progress, and how far each has come. */
export function renderBulkPage({ operations, slugs, now, done, isStill }: BulkPage): string {
  return renderPage({
    title: 'Bulk work',
    at: '/ops/bulk',
    isMoving: operations.length > 0 && !isStill,
    body: html`
      ${outcome({ done })}
      <p class="lead">${
        operations.length === 0
          ? 'No import, export or bulk change is in progress.'
          : 'Imports, exports and bulk changes in progress. What was done before one is canceled stays.'
      }</p>
      ${
        operations.length > 0 &&
        html`<table class="list">
        <thead><tr><th>Operation</th><th>Store</th><th>State</th><th>Rows</th><th>Requested</th><th></th></tr></thead>
        <tbody>${operations.map((operation) => renderOperation(operation, slugs.get(operation.tenantId) ?? '', now))}</tbody>
      </table>`
      }`,
  });
}

const names: Readonly<Record<OpenOperation['type'], string>> = {
  import: 'Import',
  export: 'Export',
  bulk_change: 'Bulk change',
};

function renderOperation(operation: OpenOperation, slug: string, now: Date): Html {
  const { id, type, kind, state, rowsDone, rowsTotal, rowsFailed, createdAt } = operation;
  return html`<tr>
    <td class="text">${names[type]} of ${kind} <span class="soft">${id}</span></td>
    <td class="slug">${slug}</td>
    <td>${state}</td>
    <td>${count(rowsDone)}${rowsTotal !== null && html` of ${count(rowsTotal)}`}${
      rowsFailed > 0 && html`, ${count(rowsFailed)} rejected`
    }</td>
    <td>${ago(createdAt, now)} ago</td>
    <td>${confirmed(`/ops/bulk/${slug}/${type}/${id}/cancel`, 'Cancel', 'Confirm: cancel it', {}, id)}</td>
  </tr>`;
}

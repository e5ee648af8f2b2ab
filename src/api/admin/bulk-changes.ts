import { hasScope, requireScope } from '#src/api/lib/authenticate.ts';
import { type Caller, defineRoute } from '#src/api/lib/define-route.ts';
import { accepted, created, file, ok } from '#src/api/lib/reply.ts';
import {
  BulkChangeInput,
  BulkChangeView,
  cancelOperation,
  changeKindOf,
  changeKinds,
  listOperations,
  type Operation,
  presentBulkChange,
  previewChange,
  readOperation,
  rejectedRowsCsv,
  runChange,
  undoChange,
} from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { found, invalidRequest } from '#src/lib/errors.ts';
import { Id, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { readingAny, writingAny } from './audience.ts';

const areas = changeKinds.map(({ area }) => area);
const Named = Type.Object({ id: Id('chg') });
const BulkChangeResponse = Type.Object({ bulk_change: BulkChangeView });

export const postBulkChange = defineRoute({
  ...writingAny(areas),
  operationId: 'admin.previewBulkChange',
  method: 'post',
  path: '/api/v1/admin/bulk-changes',
  summary: 'Preview a bulk change. Nothing changes until it is run.',
  description:
    'Select by `ids`, or by a `filter` with the names of the query of the route that lists the things. `stock` takes ' +
    'ids of variants; `label_retries` selects labels that need attention. Required: `admin.catalog:write` for `prices`, ' +
    '`tags`, `status` and `stock`, `admin.labels:write` for `label_retries`, else `admin.orders:write`.',
  body: BulkChangeInput,
  responses: { 201: BulkChangeResponse },
  async handle({ ctx, caller, body: { ids, filter, change, ...body } }) {
    const kind = changeKindOf(body);
    requireScope(caller, `admin.${kind.area}:write`);
    if ((ids === undefined) === (filter === undefined)) throw invalidRequest('Select by ids, or by a filter.');
    const id = await previewChange(ctx, { kind, ids, filter, change });
    return created({ bulk_change: await viewOf(ctx, caller, id, 'write') });
  },
});

export const getBulkChanges = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.listBulkChanges',
  method: 'get',
  path: '/api/v1/admin/bulk-changes',
  summary: 'List the bulk changes that the caller may read, newest first.',
  query: Type.Object(PageQuery),
  responses: { 200: PageOf('bulk_changes', BulkChangeView) },
  async handle({ ctx, caller, query }) {
    const kinds = changeKinds.filter(({ area }) => hasScope(caller, `admin.${area}:read`)).map(({ name }) => name);
    const { rows, cursor } = await listOperations(ctx, { ...query, type: 'bulk_change', kinds });
    return ok({ bulk_changes: rows.map((row) => presentBulkChange(row, ctx.clock.now())), cursor });
  },
});

export const getBulkChange = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.getBulkChange',
  method: 'get',
  path: '/api/v1/admin/bulk-changes/:id',
  summary: 'Read a bulk change and its progress.',
  params: Named,
  responses: { 200: BulkChangeResponse },
  async handle({ ctx, caller, params }) {
    return ok({ bulk_change: await viewOf(ctx, caller, params.id, 'read') });
  },
});

export const getBulkChangeErrors = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.listBulkChangeErrors',
  method: 'get',
  path: '/api/v1/admin/bulk-changes/:id/errors',
  summary: 'Download what was rejected as CSV, each with its id, its name and the reason.',
  params: Named,
  responses: { 200: Type.String({ contentMediaType: 'text/csv' }) },
  async handle({ ctx, caller, params }) {
    const operation = await changeOf(ctx, caller, params.id, 'read');
    return file(rejectedRowsCsv(ctx, operation), { name: `${operation.id}-errors.csv`, type: 'text/csv' });
  },
});

export const postBulkChangeRun = defineRoute({
  ...writingAny(areas),
  operationId: 'admin.runBulkChange',
  method: 'post',
  path: '/api/v1/admin/bulk-changes/:id/run',
  summary: 'Run a bulk change for what its preview selected. Running it again changes nothing.',
  params: Named,
  errors: ['not_runnable'],
  responses: { 202: BulkChangeResponse },
  async handle({ ctx, caller, params }) {
    await runChange(ctx, await changeOf(ctx, caller, params.id, 'write'));
    return accepted({ bulk_change: await viewOf(ctx, caller, params.id, 'write') });
  },
});

export const postBulkChangeCancel = defineRoute({
  ...writingAny(areas),
  operationId: 'admin.cancelBulkChange',
  method: 'post',
  path: '/api/v1/admin/bulk-changes/:id/cancel',
  summary: 'Cancel a bulk change. Changes that were already made stay.',
  params: Named,
  responses: { 200: BulkChangeResponse },
  async handle({ ctx, caller, params }) {
    await cancelOperation(ctx, await changeOf(ctx, caller, params.id, 'write'));
    return ok({ bulk_change: await viewOf(ctx, caller, params.id, 'write') });
  },
});

export const postBulkChangeUndo = defineRoute({
  ...writingAny(areas),
  operationId: 'admin.undoBulkChange',
  method: 'post',
  path: '/api/v1/admin/bulk-changes/:id/undo',
  summary: 'Undo a bulk change of prices, tags, status or stock by another one, which runs immediately.',
  description:
    'What was changed since is listed among the errors and stays as it is. Stock is moved by the opposite quantity. ' +
    'Undoing it again returns the same bulk change.',
  params: Named,
  errors: ['not_undoable'],
  responses: { 202: BulkChangeResponse },
  async handle({ ctx, caller, params }) {
    const undoId = await undoChange(ctx, await changeOf(ctx, caller, params.id, 'write'));
    return accepted({ bulk_change: await viewOf(ctx, caller, undoId, 'write') });
  },
});

/** @throws DomainError `not_found`, `insufficient_scope` */
async function changeOf(ctx: Context, caller: Caller, id: string, verb: 'read' | 'write'): Promise<Operation> {
  const operation = found(await readOperation(ctx, 'bulk_change', id), 'bulk change');
  requireScope(caller, `admin.${changeKindOf(operation).area}:${verb}`);
  return operation;
}

async function viewOf(ctx: Context, caller: Caller, id: string, verb: 'read' | 'write') {
  return presentBulkChange(await changeOf(ctx, caller, id, verb), ctx.clock.now());
}

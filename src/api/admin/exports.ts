import { hasScope, requireScope } from '#src/api/lib/authenticate.ts';
import { type Caller, defineRoute } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import {
  cancelOperation,
  ExportFormatName,
  ExportKindName,
  ExportView,
  exportKindOf,
  exportKinds,
  linkOf,
  listOperations,
  type Operation,
  personalDataKind,
  presentExport,
  readOperation,
  requestExport,
} from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import type { Scope } from '#src/domain/tenants/index.ts';
import { found } from '#src/lib/errors.ts';
import { Id, Omittable, PageOf, PageQuery, Timestamp, Type } from '#src/lib/schema.ts';
import { readingAny } from './audience.ts';

/** Everything about a person is for the owner alone. */
const scopeOf = ({ kind }: Pick<Operation, 'kind'>): Scope =>
  kind === personalDataKind ? 'admin:write' : `admin.${exportKindOf({ kind }).area}:read`;

const areas = exportKinds.map(({ area }) => area);
const Named = Type.Object({ id: Id('exp') });
const ExportResponse = Type.Object({ export: ExportView });

export const postExport = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.createExport',
  method: 'post',
  path: '/api/v1/admin/exports',
  idempotent: 'atomic',
  summary: 'Export to a file.',
  description:
    'A worker writes one consistent snapshot; then `url` of the export is a link to the file for 24 hours. What is ' +
    'exported says which scope is required: the one that reads it, such as `admin.orders:read`, and ' +
    '`admin.analytics:read` for the journal. Only what was created, entered in the accounts, or attributed to a ' +
    'partner, from `from` on and before `to` is exported; of products and of stock, all that there is now.',
  body: Type.Object({
    kind: ExportKindName,
    format: Type.Optional({ ...ExportFormatName, default: 'csv' }),
    from: Omittable(Timestamp),
    to: Omittable(Timestamp),
  }),
  responses: { 202: ExportResponse },
  async handle({ ctx, caller, body }) {
    const kind = exportKindOf(body);
    requireScope(caller, `admin.${kind.area}:read`);
    const { format = 'csv', from, to } = body;
    const momentOf = (text: string | null | undefined) => (text ? new Date(text) : null);
    const id = await requestExport(ctx, { kind, format, from: momentOf(from), to: momentOf(to) });
    return accepted({ export: await viewOf(ctx, await exportOf(ctx, caller, id)) });
  },
});

export const getExports = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.listExports',
  method: 'get',
  path: '/api/v1/admin/exports',
  summary: 'List the exports that the caller may read, newest first.',
  query: Type.Object(PageQuery),
  responses: { 200: PageOf('exports', ExportView) },
  async handle({ ctx, caller, query }) {
    const kinds = [...exportKinds.map(({ name }) => name), personalDataKind].filter((kind) =>
      hasScope(caller, scopeOf({ kind })),
    );
    const { rows, cursor } = await listOperations(ctx, { ...query, type: 'export', kinds });
    return ok({ exports: rows.map((row) => presentExport(row, null)), cursor });
  },
});

export const getExport = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.getExport',
  method: 'get',
  path: '/api/v1/admin/exports/:id',
  summary: 'Read an export, with the link to its file once it is completed.',
  params: Named,
  responses: { 200: ExportResponse },
  async handle({ ctx, caller, params }) {
    return ok({ export: await viewOf(ctx, await exportOf(ctx, caller, params.id)) });
  },
});

export const postExportCancel = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.cancelExport',
  method: 'post',
  path: '/api/v1/admin/exports/:id/cancel',
  summary: 'Cancel an export that is not completed.',
  params: Named,
  responses: { 200: ExportResponse },
  async handle({ ctx, caller, params }) {
    await cancelOperation(ctx, await exportOf(ctx, caller, params.id));
    return ok({ export: await viewOf(ctx, await exportOf(ctx, caller, params.id)) });
  },
});

/** @throws DomainError `not_found`, `insufficient_scope` */
async function exportOf(ctx: Context, caller: Caller, id: string): Promise<Operation> {
  const operation = found(await readOperation(ctx, 'export', id), 'export');
  requireScope(caller, scopeOf(operation));
  return operation;
}

const viewOf = async (ctx: Context, operation: Operation) => presentExport(operation, await linkOf(ctx, operation));

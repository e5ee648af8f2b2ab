import { hasScope, requireScope } from '#src/api/lib/authenticate.ts';
import { type Caller, defineRoute } from '#src/api/lib/define-route.ts';
import { accepted, file, ok } from '#src/api/lib/reply.ts';
import {
  cancelOperation,
  fileBytesMax,
  hasFormat,
  ImportFormat,
  ImportKindName,
  ImportModeName,
  ImportView,
  importKindOf,
  importKinds,
  listOperations,
  type Operation,
  presentImport,
  readOperation,
  receiveImport,
  rejectedRowsCsv,
} from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { requireSecondFactor } from '#src/domain/second-factor.ts';
import { found, invalidRequest } from '#src/lib/errors.ts';
import { closed, Id, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { readingAny, writingAny } from './audience.ts';

const areas = importKinds.map(({ area }) => area);
const Named = Type.Object({ id: Id('imp') });
const ImportResponse = Type.Object({ import: ImportView });

export const postImport = defineRoute({
  ...writingAny(areas),
  operationId: 'admin.createImport',
  method: 'post',
  path: '/api/v1/admin/imports',
  summary: 'Import a file.',
  description:
    'The body is the file, at most 200 MB: CSV in UTF-8, UTF-16 or what spreadsheets on Windows write in the language ' +
    'of the store, with commas, semicolons or tabs, or lines of JSON. It is stored when the response arrives, and ' +
    'imported by a worker. What is imported says which scope is required: the one that changes it, such as ' +
    '`admin.catalog:write` for products and stock. With an `Idempotency-Key`, the same file with the same query is ' +
    'imported once for 24 hours, and the response is the import as it is by then.',
  // A misspelled `dry_run` would change the store.
  query: closed(
    Type.Object({
      kind: ImportKindName,
      format: ImportFormat,
      mode: Type.Optional({
        ...ImportModeName,
        default: 'upsert',
        description: '`create` rejects what exists already; `upsert` changes it.',
      }),
      dry_run: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Only report what would change, compared with the store as it is.',
        }),
      ),
    }),
  ),
  streamed: [
    'text/csv',
    'text/plain',
    'text/tab-separated-values',
    'application/x-ndjson',
    'application/jsonl',
    'application/octet-stream',
  ],
  bodyBytesMax: fileBytesMax,
  idempotent: 'received',
  errors: ['second_factor_required'],
  responses: { 202: ImportResponse },
  async handle({ ctx, caller, callerNow, query, stream, idempotencyKey }) {
    const kind = importKindOf(query);
    const checkScope = (caller: Caller) => requireScope(caller, `admin.${kind.area}:write`);
    checkScope(caller);
    if (kind.needsSecondFactor) requireSecondFactor(ctx);
    if (!hasFormat(kind, query.format)) throw invalidRequest(`${kind.name} cannot be imported from ${query.format}.`);
    const { format, mode = 'upsert', dry_run = false } = query;
    const { id, isRepeat } = await receiveImport(ctx, { kind, format, mode, dry_run, idempotencyKey }, stream, {
      onArrived: async () => checkScope(await callerNow()),
    });
    const operation = found(await readOperation(ctx, 'import', id), 'import');
    return {
      ...accepted({ import: presentImport(operation, ctx.clock.now()) }),
      ...(isRepeat && { headers: { 'idempotent-replayed': 'true' } }),
    };
  },
});

export const getImports = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.listImports',
  method: 'get',
  path: '/api/v1/admin/imports',
  summary: 'List the imports that the key may read, newest first.',
  query: Type.Object(PageQuery),
  responses: { 200: PageOf('imports', ImportView) },
  async handle({ ctx, caller, query }) {
    const kinds = importKinds.filter(({ area }) => hasScope(caller, `admin.${area}:read`)).map(({ name }) => name);
    const { rows, cursor } = await listOperations(ctx, { ...query, type: 'import', kinds });
    return ok({ imports: rows.map((row) => presentImport(row, ctx.clock.now())), cursor });
  },
});

export const getImport = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.getImport',
  method: 'get',
  path: '/api/v1/admin/imports/:id',
  summary: 'Read an import and its progress.',
  params: Named,
  responses: { 200: ImportResponse },
  async handle({ ctx, caller, params }) {
    return ok({ import: presentImport(await importOf(ctx, caller, params.id, 'read'), ctx.clock.now()) });
  },
});

export const getImportErrors = defineRoute({
  ...readingAny(areas),
  operationId: 'admin.listImportErrors',
  method: 'get',
  path: '/api/v1/admin/imports/:id/errors',
  summary: 'Download the rejected rows as CSV.',
  description:
    'Each row as it was received, with its number in `import_row` and what is wrong in `import_problem`. Correct the ' +
    'rows and import the file again: these two columns are not read.',
  params: Named,
  responses: { 200: Type.String({ contentMediaType: 'text/csv' }) },
  async handle({ ctx, caller, params }) {
    const operation = await importOf(ctx, caller, params.id, 'read');
    return file(rejectedRowsCsv(ctx, operation), { name: `${operation.id}-errors.csv`, type: 'text/csv' });
  },
});

export const postImportCancel = defineRoute({
  ...writingAny(areas),
  operationId: 'admin.cancelImport',
  method: 'post',
  path: '/api/v1/admin/imports/:id/cancel',
  summary: 'Cancel an import. Rows that were already imported stay.',
  params: Named,
  responses: { 200: ImportResponse },
  async handle({ ctx, caller, params }) {
    await cancelOperation(ctx, await importOf(ctx, caller, params.id, 'write'));
    return ok({ import: presentImport(await importOf(ctx, caller, params.id, 'write'), ctx.clock.now()) });
  },
});

/** @throws DomainError `not_found`, `insufficient_scope` */
async function importOf(ctx: Context, caller: Caller, id: string, verb: 'read' | 'write'): Promise<Operation> {
  const operation = found(await readOperation(ctx, 'import', id), 'import');
  requireScope(caller, `admin.${importKindOf(operation).area}:${verb}`);
  return operation;
}

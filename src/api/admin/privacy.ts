import { defineRoute } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import { ExportView, presentExport, readOperation } from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import {
  ErasureView,
  listErasures,
  presentErasure,
  readErasure,
  requestErasure,
  requestPersonalExport,
  runErasure,
} from '#src/domain/privacy/index.ts';
import { found } from '#src/lib/errors.ts';
import { Email, Id, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { owning } from './audience.ts';

const { verified: _, ...owningRead } = owning;

/** The email is in the body because paths are logged. */
const WithEmail = Type.Object({ email: Email });
const Named = Type.Object({ id: Id('era') });
const ErasureResponse = Type.Object({ erasure: ErasureView });

export const postPersonalDataExport = defineRoute({
  ...owning,
  operationId: 'admin.exportPersonalData',
  method: 'post',
  path: '/api/v1/admin/personal-data-exports',
  idempotent: 'atomic',
  coalesced: true,
  summary: 'Export everything that is stored about an email to a file, with or without a customer.',
  description:
    'A worker writes lines of JSON, each with the name of its part. The export is read, and canceled, as others are: ' +
    'then `url` of `GET /admin/exports/{id}` is a link to the file for 24 hours.',
  body: WithEmail,
  errors: ['rate_limited'],
  responses: { 202: Type.Object({ export: ExportView }) },
  async handle({ ctx, body }) {
    const id = await requestPersonalExport(ctx, body);
    return accepted({ export: presentExport(found(await readOperation(ctx, 'export', id), 'export'), null) });
  },
});

export const postErasure = defineRoute({
  ...owning,
  operationId: 'admin.previewErasure',
  method: 'post',
  path: '/api/v1/admin/erasures',
  summary: 'Preview the erasure of a person, with or without a customer. Nothing is erased until it is run.',
  description:
    'A worker counts what would be deleted, anonymized and kept, and finds what is still in progress. A person has one ' +
    'erasure that is not completed: it is previewed again, unless it is running.',
  body: WithEmail,
  responses: { 202: ErasureResponse },
  async handle({ ctx, body }) {
    return accepted(await responseOf(ctx, await requestErasure(ctx, body)));
  },
});

export const getErasures = defineRoute({
  ...owningRead,
  operationId: 'admin.listErasures',
  method: 'get',
  path: '/api/v1/admin/erasures',
  summary: 'List the erasures of people, newest first. They are retained for 30 days, and in the audit log for ever.',
  query: Type.Object(PageQuery),
  responses: { 200: PageOf('erasures', ErasureView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listErasures(ctx, query);
    return ok({ erasures: rows.map(presentErasure), cursor });
  },
});

export const getErasure = defineRoute({
  ...owningRead,
  operationId: 'admin.getErasure',
  method: 'get',
  path: '/api/v1/admin/erasures/:id',
  summary: 'Read an erasure: what it will do, its progress, and what it did.',
  params: Named,
  responses: { 200: ErasureResponse },
  async handle({ ctx, params }) {
    return ok(await responseOf(ctx, params.id));
  },
});

export const postErasureRun = defineRoute({
  ...owning,
  operationId: 'admin.runErasure',
  method: 'post',
  path: '/api/v1/admin/erasures/:id/run',
  summary: 'Erase the person, which cannot be undone. Running it again continues what was blocked, or changes nothing.',
  params: Named,
  errors: ['not_runnable'],
  responses: { 202: ErasureResponse },
  async handle({ ctx, params }) {
    await runErasure(ctx, params);
    return accepted(await responseOf(ctx, params.id));
  },
});

async function responseOf(ctx: Context, id: string) {
  return { erasure: presentErasure(found(await readErasure(ctx, id), 'erasure')) };
}

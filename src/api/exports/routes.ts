import { defineRoute, toPublicByQuery } from '#src/api/lib/define-route.ts';
import { file } from '#src/api/lib/reply.ts';
import { openLink, readFile } from '#src/domain/bulk/index.ts';
import { Id, Text, Type } from '#src/lib/schema.ts';

const types = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' };

export const getExportFile = defineRoute({
  operationId: 'downloadExport',
  tag: 'admin-bulk',
  method: 'get',
  path: '/api/v1/exports/:id',
  audience: toPublicByQuery,
  servesClosedStores: true,
  limit: 'account',
  summary: 'Download the file of an export, by the link that the export has for 24 hours.',
  params: Type.Object({ id: Id('exp') }),
  query: Type.Object({ token: Text(100, { examples: ['01m7xfs208fk1sctzyr3afnpz3x'] }) }),
  errors: ['invalid_or_expired_token'],
  responses: { 200: Type.String({ contentMediaType: 'text/csv' }) },
  async handle({ ctx, params, query }) {
    const operation = await openLink(ctx, { id: params.id, token: query.token });
    const extension = operation.format === 'jsonl' ? 'jsonl' : 'csv';
    const name = `${operation.kind}-${operation.id}.${extension}`;
    return file(readFile(ctx, operation), { name, type: types[extension] });
  },
});

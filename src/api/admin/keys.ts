import { defineRoute } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import { withAudit } from '#src/domain/audit/index.ts';
import {
  type ApiKey,
  ApiKeyView,
  issueKey,
  KeyInput,
  listKeys,
  presentKey,
  revokeKey,
} from '#src/domain/tenants/index.ts';
import { Id, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { owning, reading } from './audience.ts';

const recordOf = (action: string, key: ApiKey) => ({
  action: `key.${action}`,
  subjectKind: 'key',
  subjectId: key.id,
  after: presentKey(key),
});

export const getKeys = defineRoute({
  ...reading('settings'),
  operationId: 'admin.listKeys',
  method: 'get',
  path: '/api/v1/admin/keys',
  summary: 'List the API keys of the store, including revoked ones, oldest first.',
  query: Type.Object(PageQuery),
  responses: { 200: PageOf('keys', ApiKeyView) },
  async handle({ ctx, query: { cursor, limit = 20 } }) {
    const page = await listKeys(ctx, { cursor, limit });
    return ok({ keys: page.rows.map(presentKey), cursor: page.cursor });
  },
});

export const postKey = defineRoute({
  ...owning,
  operationId: 'admin.createKey',
  method: 'post',
  path: '/api/v1/admin/keys',
  idempotent: 'atomic',
  summary: 'Create an API key. Its value is only returned here.',
  body: KeyInput,
  responses: { 201: Type.Object({ key: ApiKeyView, value: Type.String({ examples: ['sk_test_…'] }) }) },
  async handle({ ctx, body: { name, kind, scopes, expires_at: expiresAt, requests_per_minute: requestsPerMinute } }) {
    const wanted = { name, kind, scopes, expiresAt: expiresAt ? new Date(expiresAt) : null, requestsPerMinute };
    const { key, value } = await withAudit(
      ctx,
      (ctx) => issueKey(ctx, wanted),
      ({ key }) => recordOf('created', key),
    );
    return created({ key: presentKey(key), value });
  },
});

export const postKeyRevocation = defineRoute({
  ...owning,
  operationId: 'admin.revokeKey',
  method: 'post',
  path: '/api/v1/admin/keys/:id/revoke',
  summary: 'Revoke an API key. Takes effect everywhere within five seconds.',
  params: Type.Object({ id: Id('key') }),
  responses: { 200: Type.Object({ key: ApiKeyView }) },
  async handle({ ctx, params }) {
    const key = await withAudit(
      ctx,
      (ctx) => revokeKey(ctx, params),
      (key) => recordOf('revoked', key),
    );
    return ok({ key: presentKey(key) });
  },
});

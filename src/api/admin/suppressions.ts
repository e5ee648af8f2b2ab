import { defineRoute } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { listSuppressions, presentSuppression, releaseSuppression, SuppressionView } from '#src/domain/mail/index.ts';
import { Done, Email, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { reading, writing } from './audience.ts';

export const getSuppressions = defineRoute({
  ...reading('customers'),
  operationId: 'admin.listSuppressions',
  method: 'get',
  path: '/api/v1/admin/suppressions',
  summary: 'List suppressed email addresses: they bounced and get no more email.',
  query: Type.Object({ email: Type.Optional(Email), ...PageQuery }),
  responses: { 200: PageOf('suppressions', SuppressionView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listSuppressions(ctx, query);
    return ok({ suppressions: rows.map(presentSuppression), cursor });
  },
});

/** The email address is in the body because paths are logged. */
export const postSuppressionRelease = defineRoute({
  ...writing('customers'),
  operationId: 'admin.releaseSuppression',
  method: 'post',
  path: '/api/v1/admin/suppressions/release',
  summary: 'Remove an email address from the suppression list.',
  body: Type.Object({ email: Email }),
  responses: { 200: Done },
  async handle({ ctx, body }) {
    await releaseSuppression(ctx, body);
    return ok({ ok: true });
  },
});

import { defineRoute } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import {
  createIntegrationState,
  findConnection,
  IntegrationProvider,
  IntegrationView,
  listConnections,
  presentConnection,
  revealConnection,
} from '#src/domain/integrations/index.ts';
import { FreeForm, Id, Nullable, Omittable, PageOf, PageQuery, Type, Url } from '#src/lib/schema.ts';
import { owning, reading } from './audience.ts';

const params = Type.Object({ id: Id('conn') });

export const getIntegrations = defineRoute({
  ...reading('settings'),
  operationId: 'admin.listIntegrations',
  method: 'get',
  path: '/api/v1/admin/integrations',
  summary: 'List connections to third parties, newest first.',
  query: Type.Object(PageQuery),
  responses: { 200: PageOf('integrations', IntegrationView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listConnections(ctx, query);
    return ok({ integrations: rows.map((connection) => presentConnection(connection, ctx.clock)), cursor });
  },
});

export const postIntegration = defineRoute({
  ...owning,
  operationId: 'admin.createIntegration',
  method: 'post',
  path: '/api/v1/admin/integrations',
  idempotent: 'atomic',
  coalesced: true,
  summary: 'Start connecting the store to a third party. Returns the consent URL to open and the webhook credentials.',
  body: Type.Object({
    provider: IntegrationProvider,
    return_url: Url,
    consent_url: Omittable(Url),
  }),
  responses: {
    201: Type.Object({
      integration: IntegrationView,
      state: Type.String({ description: 'Returned only here. The third party sends it back to callback_url.' }),
      callback_url: Url,
      open_url: Nullable(Url),
      calls: Type.Object({ url: Url, secret: Type.String({ examples: ['whsec_1Qx'] }) }),
    }),
  },
  async handle({ ctx, body: { provider, return_url: returnUrl, consent_url: consentUrl } }) {
    const { connection, state, callbackUrl, openUrl, calls } = await createIntegrationState(ctx, {
      provider,
      returnUrl,
      consentUrl,
    });
    return created({
      integration: presentConnection(connection, ctx.clock),
      state,
      callback_url: callbackUrl,
      open_url: openUrl,
      calls,
    });
  },
});

export const getIntegration = defineRoute({
  ...reading('settings'),
  operationId: 'admin.getIntegration',
  method: 'get',
  path: '/api/v1/admin/integrations/:id',
  summary: 'Read the status of a connection, without the data received.',
  params,
  responses: { 200: Type.Object({ integration: IntegrationView }) },
  async handle({ ctx, params }) {
    return ok({ integration: presentConnection(await findConnection(ctx, params), ctx.clock) });
  },
});

export const postIntegrationReveal = defineRoute({
  ...owning,
  operationId: 'admin.revealIntegration',
  method: 'post',
  path: '/api/v1/admin/integrations/:id/reveal',
  summary: 'Reveal the data received from the third party, such as an authorization code. Null until it arrives.',
  params,
  responses: { 200: Type.Object({ integration: IntegrationView, received: Nullable(FreeForm) }) },
  async handle({ ctx, params }) {
    const { received, ...connection } = await revealConnection(ctx, params);
    return ok({ integration: presentConnection(connection, ctx.clock), received });
  },
});

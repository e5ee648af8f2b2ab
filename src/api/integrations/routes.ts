import { defineRoute, type TenantNaming, toPublicByQuery, toTokenHolders } from '#src/api/lib/define-route.ts';
import { accepted, redirect } from '#src/api/lib/reply.ts';
import { acceptCall, completeConnection, IntegrationProvider } from '#src/domain/integrations/index.ts';
import { tenantIdOfToken } from '#src/domain/tenants/index.ts';
import { invalidOrExpired } from '#src/lib/errors.ts';
import { Done, Type } from '#src/lib/schema.ts';

const params = Type.Object({ provider: IntegrationProvider });
const bodyBytesMax = 512 * 1024;

/** The browser comes back from a third party without our headers: the state in the query identifies the store. */
const tenantOfState: TenantNaming = ({ query: { state } }) => {
  if (state === undefined) return undefined;
  const tenantId = typeof state === 'string' ? tenantIdOfToken(state) : undefined;
  if (tenantId === undefined) throw invalidOrExpired('link');
  return tenantId;
};

export const getIntegrationCallback = defineRoute({
  operationId: 'completeIntegrationConsent',
  method: 'get',
  path: '/api/v1/integrations/:provider/callback',
  tag: 'integrations',
  summary: 'Receive the owner’s browser after consent at a third party, and redirect it to the return URL.',
  audience: toTokenHolders('integrations:write', tenantOfState),
  servesClosedStores: true,
  limit: 'ceiling',
  params,
  query: Type.Object({ state: Type.String({ maxLength: 200 }) }),
  errors: ['invalid_or_expired_token'],
  responses: { 302: Type.Null() },
  async handle({ ctx, params: { provider }, query: { state, ...received }, isHead }) {
    const { returnUrl } = await completeConnection(ctx, { provider, state, received, isPreview: isHead });
    return redirect(returnUrl);
  },
});

export const postIntegrationCallback = defineRoute({
  operationId: 'receiveIntegrationCall',
  method: 'post',
  path: '/api/v1/integrations/:provider/callback',
  tag: 'integrations',
  summary: 'Receive a call from a third party, signed per Standard Webhooks. It is stored, then handled by a job.',
  audience: toPublicByQuery,
  servesClosedStores: true,
  limit: 'ceiling',
  params,
  rawBody: true,
  bodyBytesMax,
  errors: ['invalid_json'],
  responses: { 202: Done },
  async handle({ ctx, params: { provider }, rawBody, header }) {
    await acceptCall(ctx, {
      provider,
      messageId: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
      rawBody,
    });
    return accepted({ ok: true });
  },
});

import {
  defineRoute,
  sessionOf,
  type TenantNaming,
  toCustomers,
  toCustomersOrHolders,
  toPublic,
} from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { CustomerView, presentCustomer } from '#src/domain/customers/index.ts';
import {
  ConsumeInput,
  consumeLink,
  endSession,
  invalidSession,
  LinkInput,
  presentSession,
  RefreshInput,
  renewToken,
  requestLink,
  rotateSession,
  SessionView,
} from '#src/domain/sessions/index.ts';
import { tenantIdOfToken } from '#src/domain/tenants/index.ts';
import { clientNetworkOf } from '#src/lib/network-of.ts';
import { Done, Type } from '#src/lib/schema.ts';

export const postMagicLinkRequest = defineRoute({
  operationId: 'requestMagicLink',
  method: 'post',
  path: '/api/v1/customer/magic-link/request',
  tag: 'customer',
  summary: 'Email a sign-in link if a customer with this address exists. The response is the same either way.',
  audience: toPublic,
  emails: 'links',
  body: LinkInput,
  responses: { 200: Done },
  async handle({ ctx, caller, body, limitEmail }) {
    return limitEmail(body.email, async (mayEmail) => {
      const link = {
        email: body.email,
        redirectPath: body.redirect_path ?? null,
        codeChallenge: body.code_challenge ?? null,
        clientNetwork: caller.clientIp && clientNetworkOf(caller.clientIp),
      };
      if (mayEmail) await requestLink(ctx, link);
      return { value: ok({ ok: true }), causesEmail: true };
    });
  },
});

export const postMagicLinkConsume = defineRoute({
  operationId: 'consumeMagicLink',
  method: 'post',
  path: '/api/v1/customer/magic-link/consume',
  tag: 'customer',
  summary: 'Sign in with the token of an emailed link. It works once.',
  audience: toPublic,
  limit: 'consume',
  module: 'customer_accounts',
  body: ConsumeInput,
  errors: ['invalid_or_expired_token'],
  responses: { 200: SessionView },
  async handle({ ctx, body }) {
    const session = await consumeLink(ctx, { token: body.token, codeVerifier: body.code_verifier ?? null });
    return ok(presentSession(session));
  },
});

export const getMe = defineRoute({
  operationId: 'getCustomer',
  method: 'get',
  path: '/api/v1/customer/me',
  tag: 'customer',
  summary: 'Read the signed-in customer.',
  audience: toCustomers,
  limit: 'reads',
  module: 'customer_accounts',
  responses: { 200: Type.Object({ customer: CustomerView }) },
  async handle({ caller }) {
    return ok({ customer: presentCustomer(sessionOf(caller).customer) });
  },
});

/** The store that a refresh token in the body belongs to. */
const tenantOfRefreshToken: TenantNaming = ({ body }) => {
  const token = typeof body === 'object' && body !== null && 'refresh_token' in body ? body.refresh_token : undefined;
  if (typeof token !== 'string' || token === '') return undefined;
  const tenantId = tenantIdOfToken(token);
  if (tenantId === undefined) throw invalidSession();
  return tenantId;
};

export const postRefresh = defineRoute({
  operationId: 'refreshSession',
  method: 'post',
  path: '/api/v1/customer/refresh',
  tag: 'customer',
  summary: 'Renew a session for 15 minutes, with the session token or a refresh token. A refresh token is replaced.',
  audience: toCustomersOrHolders(tenantOfRefreshToken),
  limit: 'refresh',
  module: 'customer_accounts',
  body: RefreshInput,
  responses: { 200: SessionView },
  async handle({ ctx, caller, body }) {
    const session = body.refresh_token
      ? await rotateSession(ctx, body.refresh_token)
      : await renewToken(ctx, sessionOf(caller));
    return ok(presentSession(session));
  },
});

export const postSignout = defineRoute({
  operationId: 'signOut',
  method: 'post',
  path: '/api/v1/customer/signout',
  tag: 'customer',
  summary: 'Sign out. The session and its refresh tokens stop working.',
  audience: toCustomers,
  limit: 'account',
  module: 'customer_accounts',
  responses: { 200: Done },
  async handle({ ctx, caller }) {
    await endSession(ctx, sessionOf(caller).id);
    return ok({ ok: true });
  },
});

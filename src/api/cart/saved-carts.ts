import {
  defineRoute,
  largeBodyBytesMax,
  type Sent,
  type TenantNaming,
  toDual,
  toTokenHolders,
} from '#src/api/lib/define-route.ts';
import { ok, prefersPage, type Reply } from '#src/api/lib/reply.ts';
import {
  type MailPreference,
  presentSavedCart,
  presentSavedCartReceipt,
  readMailPreference,
  restoreCart,
  SavedCartInput,
  SavedCartReceipt,
  SavedCartView,
  savedCartGone,
  unsubscribe,
} from '#src/domain/cart/index.ts';
import type { Context } from '#src/domain/context.ts';
import { saveCartAndRemind } from '#src/domain/reminders/index.ts';
import { tenantIdOfToken } from '#src/domain/tenants/index.ts';
import { invalidOrExpired, invalidRequest } from '#src/lib/errors.ts';
import { Omittable, Type } from '#src/lib/schema.ts';
import { showPreference, showUnsubscribeError } from './unsubscribe-page.ts';

const invalidLink = () => invalidOrExpired('link');
const Token = Type.String({ maxLength: 200 });
const TokenQuery = Type.Object({ token: Type.Optional(Token) });
const TokenBody = Type.Object({ token: Omittable(Token) });
const SavedCartResponse = Type.Object({ saved_cart: SavedCartView });
const PreferenceResponse = Type.Object({
  ok: Type.Literal(true),
  status: Type.Union([Type.Literal('subscribed'), Type.Literal('unsubscribed')]),
});

export const postSavedCart = defineRoute({
  operationId: 'saveCart',
  method: 'post',
  path: '/api/v1/cart/save',
  tag: 'cart',
  summary: 'Save a cart for an email address and schedule reminders.',
  audience: toDual('cart:write'),
  limit: 'ceiling',
  emails: 'reminders',
  body: SavedCartInput,
  bodyBytesMax: largeBodyBytesMax,
  responses: { 200: SavedCartReceipt },
  async handle({ ctx, body, limitEmail }) {
    const { cart, reminders } = await limitEmail(body.email, async (mayRemind) => {
      const saved = await saveCartAndRemind(ctx, body, { mayRemind });
      return { value: saved, causesEmail: saved.reminders === 'scheduled' };
    });
    return ok(presentSavedCartReceipt(cart, reminders));
  },
});

export const getRestoredCart = defineRoute({
  operationId: 'restoreCart',
  method: 'get',
  path: '/api/v1/cart/restore',
  tag: 'cart',
  summary: 'Restore a saved cart with the token of a reminder.',
  audience: toTokenHolders('cart:read', tenantOfToken(savedCartGone)),
  limit: 'ceiling',
  query: TokenQuery,
  errors: ['saved_cart_gone'],
  responses: { 200: SavedCartResponse },
  handle: ({ ctx, query, isHead }) => restore(ctx, { query, body: undefined }, { isPreview: isHead }),
});

export const postRestoredCart = defineRoute({
  operationId: 'restoreCartByPost',
  method: 'post',
  path: '/api/v1/cart/restore',
  tag: 'cart',
  summary: 'Restore a saved cart with the token of a reminder, in the body or the query.',
  audience: toTokenHolders('cart:read', tenantOfToken(savedCartGone)),
  limit: 'ceiling',
  query: TokenQuery,
  body: TokenBody,
  errors: ['saved_cart_gone'],
  responses: { 200: SavedCartResponse },
  handle: ({ ctx, query, body }) => restore(ctx, { query, body }),
});

export const getUnsubscription = defineRoute({
  operationId: 'getReminderSubscription',
  method: 'get',
  path: '/api/v1/cart/unsubscribe',
  tag: 'cart',
  summary: 'Read whether an email gets reminders, as a page for browsers. With confirm=1, unsubscribe it.',
  description: 'A browser gets a page, also where the request is rejected.',
  audience: toTokenHolders('cart:write', tenantOfToken(invalidLink)),
  servesClosedStores: true,
  limit: 'ceiling',
  query: Type.Object({
    token: Type.Optional(Token),
    confirm: Type.Optional(Type.String({ maxLength: 10, examples: ['1'] })),
  }),
  errorPage: showUnsubscribeError,
  errors: ['invalid_or_expired_token'],
  responses: { 200: PreferenceResponse },
  async handle({ ctx, query, isHead, header }) {
    const token = requireToken({ query, body: undefined });
    const isConfirmed = query.confirm === '1' && !isHead;
    const preference = isConfirmed ? await unsubscribe(ctx, token) : await readMailPreference(ctx, token);
    return respondPreference(ctx, preference, { token, accept: header('accept') });
  },
});

export const postUnsubscription = defineRoute({
  operationId: 'unsubscribeFromReminders',
  method: 'post',
  path: '/api/v1/cart/unsubscribe',
  tag: 'cart',
  summary: 'Unsubscribe an email from reminders. Supports one-click unsubscription (RFC 8058).',
  description: 'A browser gets a page, also where the request is rejected.',
  audience: toTokenHolders('cart:write', tenantOfToken(invalidLink)),
  servesClosedStores: true,
  limit: 'ceiling',
  query: TokenQuery,
  body: TokenBody,
  form: true,
  bodyBytesMax: 16 * 1024,
  errorPage: showUnsubscribeError,
  errors: ['invalid_or_expired_token'],
  responses: { 200: PreferenceResponse },
  async handle({ ctx, query, body, header }) {
    const token = requireToken({ query, body });
    return respondPreference(ctx, await unsubscribe(ctx, token), { token, accept: header('accept') });
  },
});

async function restore(ctx: Context, sent: Sent, options: { isPreview?: boolean } = {}): Promise<Reply> {
  return ok({ saved_cart: presentSavedCart(await restoreCart(ctx, requireToken(sent), options)) });
}

function requireToken(sent: Sent): string {
  const token = tokenOf(sent);
  if (token !== undefined) return token;
  throw invalidRequest('token is required.', { path: '/token', code: 'required', detail: 'is required' });
}

/** Respond with a page to browsers, with JSON to others. */
function respondPreference(ctx: Context, status: MailPreference, request: { token: string; accept: string }): Reply {
  if (!prefersPage(request.accept)) return ok({ ok: true, status });
  return showPreference({ storeName: ctx.tenant.name, status, token: request.token });
}

/** The token of a request, from the query (as in links) or from the body. */
function tokenOf({ query, body }: Sent): string | undefined {
  const inBody = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
  const token = query['token'] ?? inBody;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/**
 * Finds the tenant of a token.
 * @param invalidToken creates the route's error for an invalid token
 */
function tenantOfToken(invalidToken: () => Error): TenantNaming {
  return (sent) => {
    const token = tokenOf(sent);
    if (token === undefined) return undefined;
    const tenantId = tenantIdOfToken(token);
    if (tenantId === undefined) throw invalidToken();
    return tenantId;
  };
}

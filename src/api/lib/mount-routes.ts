import Router, { type RouterContext } from '@koa/router';

import type { Context } from '#src/domain/context.ts';
import { DomainError } from '#src/lib/errors.ts';
import { issuesOf, issuesOfText } from '#src/lib/validation.ts';
import type { Services } from '#src/services.ts';
import { authenticate, type Visitor } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { answerOrigin } from './cors.ts';
import type { Caller, Route } from './define-route.ts';
import { HttpError, invalidRequest } from './http-error.ts';
import { isForm, parseForm, parseJson, readBytes } from './read-body.ts';
import { type RenderedReply, renderReply, sendReply } from './render-reply.ts';
import { createReplyCache, type ReplyCache } from './reply-cache.ts';

/** Put routes on a router: each is authenticated, checked and refused in the documented order, and then handled. */
export function mountRoutes(services: Services, routes: readonly Route[]): Router {
  const router = new Router();
  const cache = createReplyCache(services.clock);
  for (const route of routes) {
    router[route.method](route.path, (koa) => serve(services, cache, route, koa));
  }
  return router;
}

/** The order of refusals is a promise: tenant or key, scope, size and type, schema, module; then the handler's own. */
async function serve(services: Services, cache: ReplyCache, route: Route, koa: RouterContext): Promise<void> {
  const { audience } = route;
  const slug = audience.kind === 'inbound' ? (koa.params['tenant_slug'] ?? '') : koa.get('x-tenant-slug');
  const bodyOnce = once(() => bodyOf(route, koa));
  const tenantId = audience.kind === 'token' ? audience.tenantIdOf({ query: koa.query, body: (await bodyOnce()).body }) : undefined;
  const visitor = await authenticate(services, audience, { authorization: koa.get('authorization'), slug, tenantId });
  answerOrigin(koa, visitor.tenant);
  koa.state['tenant'] = visitor.tenant.slug;

  const make = () => handle(services, route, koa, visitor, bodyOnce);
  const reply = route.cacheable ? await cache.get(visitor, koa.url, make) : await make();
  sendReply(koa, reply, visitor.key !== undefined);
}

async function handle(
  services: Services,
  route: Route,
  koa: RouterContext,
  visitor: Visitor,
  bodyOnce: () => Promise<SentBody>,
): Promise<RenderedReply> {
  const { body, rawBody } = await bodyOnce();
  const params = checkText(route.params, koa.params, () => new DomainError('not_found', 'not_found', 'There is no such thing.'));
  const query = checkText(route.query, { ...koa.query }, (issues) => invalidRequest(issues, 'query'));
  checkBody(route, body);
  if (route.module && !visitor.tenant.modules[route.module]) {
    throw new DomainError('forbidden', 'module_disabled', 'This store has not switched this on.');
  }

  const caller: Caller = { key: visitor.key, clientAddress: clientAddress(koa.req, services.config.trustedProxyHops) };
  const actor = visitor.key ? ({ kind: 'key', id: visitor.key.id } as const) : ({ kind: 'shopper', id: 'anonymous' } as const);
  const ctx: Context = { ...services.context({ actor }), tenant: visitor.tenant };
  const header = (name: string) => koa.get(name);
  const reply = await route.handle({ ctx, caller, params, query, body, rawBody, header } as never);
  return renderReply(route, visitor.tenant, reply);
}

interface SentBody {
  readonly body: unknown;
  readonly rawBody: Buffer;
}

async function bodyOf(route: Route, koa: RouterContext): Promise<SentBody> {
  if (!route.body && !route.rawBody) return { body: undefined, rawBody: Buffer.alloc(0) };
  const bytes = await readBytes(koa.req, route.bodyBytesMax);
  if (route.rawBody) return { body: undefined, rawBody: bytes };
  const contentType = koa.get('content-type');
  const body = route.form && isForm(contentType) ? await parseForm(bytes, contentType) : parseJson(bytes, contentType);
  return { body, rawBody: bytes };
}

/** A request's body can be read once. A token in it is looked at before anything else. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => (result ??= work());
}

function checkText(
  schema: Route['params'],
  given: Record<string, unknown>,
  refuse: (issues: ReturnType<typeof issuesOfText>) => Error,
): Record<string, unknown> | undefined {
  if (!schema) return undefined;
  const issues = issuesOfText(schema, given);
  if (issues.length > 0) throw refuse(issues);
  return given;
}

function checkBody(route: Route, body: unknown): void {
  if (!route.body) return;
  const issues = issuesOf(route.body, body);
  if (issues.length > 0) throw invalidRequest(issues, 'body');
}

/** The refusal of what no route serves: 405 with `Allow` where another method would do, else 404. */
export function unrouted(koa: RouterContext, routes: readonly Route[], router: Router): HttpError {
  const methods = new Set(router.match(koa.path, koa.method).path.flatMap((layer) => layer.methods));
  if (methods.size === 0 || routes.length === 0) return new HttpError(404, 'not_found', 'There is nothing at this address.');
  const allow = [...methods, 'OPTIONS'].join(', ');
  return new HttpError(405, 'method_not_allowed', `${koa.method} is not served here.`, { headers: { allow } });
}

import type { RouterContext } from '@koa/router';
import type { Context as KoaContext } from 'koa';
import type { Actor, Context } from '#src/domain/context.ts';
import { requireSecondFactor } from '#src/domain/second-factor.ts';
import { requireModule } from '#src/domain/tenants/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { clientNetworkOf } from '#src/lib/network-of.ts';
import { authenticate, type Visitor } from './authenticate.ts';
import { clientIp, serverOf, shopperIp } from './client-ip.ts';
import { rejectForeignPage, setAllowedOrigin } from './cors.ts';
import { type Audience, type Caller, type EmailWork, needsOpenStore, type Route } from './define-route.ts';
import { HttpError } from './http-error.ts';
import { readIdempotencyKey, runIdempotent } from './idempotent-request.ts';
import { bodyReader, checkRequest, noPieces, type SentBody, streamBody } from './read-request.ts';
import { type RenderedReply, renderReply, sendCached, sendReply } from './render-reply.ts';
import { prefersPage } from './reply.ts';
import type { RequestRouter } from './request-router.ts';
import type { RouteServices } from './route-services.ts';
import type { Party } from './shares.ts';
import { staffCookieName } from './staff-cookie.ts';

/** Mount routes at their paths: each request is authenticated, checked in the documented order, and then handled. */
export function mountRoutes(requestRouter: RequestRouter, shared: RouteServices, routes: readonly Route[]): void {
  const handlerOf = (route: Route) => async (koa: RouterContext) => {
    if (prefersPage(koa.get('accept'))) koa.state['errorPage'] = route.errorPage;
    try {
      await serve(shared, route, koa);
    } catch (error) {
      shared.check.checkError(route, error);
      throw error;
    }
  };
  for (const [path, served] of Map.groupBy(routes, ({ path }) => path)) {
    requestRouter.serve(path, Object.fromEntries(served.map((route) => [route.method, handlerOf(route)])));
  }
}

/**
 * The order of checks is that of the table in `src/api/README.md`. If a token determines the tenant, the body that may
 * contain it is read first.
 */
async function serve(shared: RouteServices, route: Route, koa: RouterContext): Promise<void> {
  const { audience } = route;
  const ip = clientIp(koa.req, shared.services.config.trustedProxyHops);
  const sent = bodyReader(route, koa, clientNetworkOf(ip));
  const naming = audience.kind === 'token' || audience.kind === 'session' ? audience.tenantIdOf : undefined;
  const body = naming && (await sent()).body;
  const identify = () =>
    authenticate(shared.services, audience, {
      authorization: authorizationOf(koa),
      slug: slugOf(audience, koa),
      tenantIdOf: naming && (() => naming({ query: koa.query, body })),
      staffToken: koa.cookies.get(staffCookieName(shared.services.config.settings)) ?? '',
    });
  const visitor = await identify();
  const party = await enforceLimits(shared, route, { visitor, ip }, koa);
  if (visitor.tenant.closedAt && needsOpenStore(route))
    throw new DomainError('forbidden', 'store_closed', 'This store is closed.');
  if (route.verified) requireSecondFactor({ actor: actorOf(visitor), clock: shared.services.clock });

  const make = async () => handle(shared, route, koa, { party, identify }, await sent());
  const respond = async () => {
    if (route.cacheable) sendCached(koa, await shared.replies.get(visitor, koa.url, make));
    else sendReply(koa, await make());
  };
  const isExpensive = route.expensiveWith !== undefined && koa.query[route.expensiveWith] !== undefined;
  return isExpensive ? shared.pace.run(visitor.tenant.id, respond) : respond();
}

/**
 * Check what applies to every request: the origin of its page and its rate limit.
 * @returns who was counted
 */
async function enforceLimits(
  { services, limiter }: RouteServices,
  route: Route,
  { visitor, ip: direct }: { visitor: Visitor; ip: string },
  koa: KoaContext,
): Promise<Party> {
  const { settings } = services.config;
  if (visitor.staff || (route.audience.kind === 'public' && route.audience.ownPages)) {
    rejectForeignPage(koa, settings, { mustNameOrigin: visitor.staff !== undefined });
  } else {
    setAllowedOrigin(koa, { tenant: visitor.tenant, settings });
  }
  koa.state['tenant'] = visitor.tenant.slug;
  const server = await serverOf(services, visitor, authorizationOf(koa));
  const ip = shopperIp({
    clientIp: direct,
    named: koa.get('x-client-ip'),
    server,
  });
  const party = { visitor, ip, server };
  await limiter.enforceRate(koa, route, party);
  return party;
}

/** The credentials of another scheme are for a proxy before the service, such as the password of a staging site. */
function authorizationOf(koa: KoaContext): string {
  const sent = koa.get('authorization');
  return /^(?!Bearer )\S+ +\S/i.test(sent) ? '' : sent;
}

/** The store that a request names; '' when it names none. */
function slugOf(audience: Audience, koa: RouterContext): string {
  if (audience.kind === 'inbound') return koa.params['tenant_slug'] ?? '';
  const inHeader = koa.get('x-tenant-slug');
  const inQuery = audience.kind === 'public' && audience.slugInQuery ? koa.query['tenant'] : undefined;
  if (typeof inQuery !== 'string' || inQuery === '' || inQuery === inHeader) return inHeader;
  if (inHeader === '') return inQuery;
  throw new HttpError(400, 'invalid_request', 'The URL and the x-tenant-slug header refer to different stores.');
}

async function handle(
  { services, limiter, check }: RouteServices,
  route: Route,
  koa: RouterContext,
  { party, identify }: { readonly party: Party; readonly identify: () => Promise<Visitor> },
  { body, rawBody }: SentBody,
): Promise<RenderedReply> {
  const { visitor, ip, server } = party;
  const callerOf = ({ key, session, staff }: Visitor): Caller => ({ key, session, staff, clientIp: ip, server });
  const caller = callerOf(visitor);
  const callerNow = async () => callerOf(await identify());
  const actor = actorOf(visitor);
  const idempotencyKey = route.idempotent && readIdempotencyKey(koa);
  const header = (name: string) => koa.get(name);
  const limitEmail = <Value>(recipient: string, work: EmailWork<Value>) =>
    limiter.limitEmail(route, party, recipient, work);

  const work = async (ctx: Context, idempotencyId: string | undefined): Promise<RenderedReply> => {
    const { params, query } = checkRequest(route, koa, body);
    if (route.module) requireModule(visitor.tenant, route.module);
    await limiter.enforceCeiling(route, party);
    const stream = route.streamed ? streamBody(route, koa) : noPieces();
    const isHead = koa.method === 'HEAD';
    const idempotency = { idempotencyId, idempotencyKey };
    const sent = { params, query, body, rawBody, stream, ...idempotency, isHead, header };
    const request = { ctx, caller, callerNow, ...sent, limitEmail };
    const reply = await limiter.limitGuesses(route, party, body, () => route.handle(request as never));
    check.checkResponse(route, reply);
    return renderReply(route, visitor, reply);
  };

  const ctx: Context = {
    ...services.context({ actor, readTimeoutMs: services.timeouts.readMs }),
    tenant: visitor.tenant,
  };
  const { idempotent: mode } = route;
  if (!mode || mode === 'received' || !(idempotencyKey || route.coalesced)) return work(ctx, undefined);
  // The router takes a path in any letter case, and with a slash at its end.
  const path = koa.path.toLowerCase().replace(/\/$/, '');
  const request = { method: koa.method, path, credential: actor.id, key: idempotencyKey, body };
  return runIdempotent(ctx, mode, request, (ctx, id) => work(ctx, idempotencyKey && id));
}

function actorOf({ key, session, staff }: Visitor): Actor {
  if (staff) return { kind: 'staff', id: staff.staff.id, verifiedUntil: staff.verifiedUntil };
  return key ? { kind: 'key', id: key.id } : { kind: 'shopper', id: session?.customer.id ?? 'anonymous' };
}

import type { TestFn } from 'ava';
import type { Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { scopes } from '#src/domain/tenants/api-key.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import type { ApiResponse } from './api.ts';
import { buildKey } from './factories/keys.ts';
import { buildSession } from './factories/sessions.ts';
import { buildStaffSession, verify } from './factories/staff.ts';
import { type ApiContext, useApi } from './use-api.ts';

/** A store with keys and sessions of every kind, for tests of all routes. */
export interface StoreContext extends ApiContext {
  /** That may do everything. */
  key: string;
  /** Of a customer who is signed in. */
  session: string;
  /** Of an owner who is signed in and verified, with the page that the cookie is accepted from. */
  staff: { cookie: string; origin: string };
}

export function useStore(test: TestFn<StoreContext>, options: Parameters<typeof useApi>[1] = {}): void {
  useApi(test as unknown as TestFn<ApiContext>, options);
  test.serial.beforeEach(async (t) => {
    t.context.key = await buildKey(t.context.ctx, scopes);
    t.context.session = (await buildSession(t.context.ctx)).token;
    const session = await buildStaffSession(t.context.ctx);
    await verify(t.context.ctx, session);
    t.context.staff = { ...session.headers, origin: t.context.api.url };
  });
}

export const kinds = (...kinds: Route['audience']['kind'][]) =>
  routes.filter(({ audience }) => kinds.includes(audience.kind));
export const withBody = routes.filter(({ body, audience }) => body && audience.kind !== 'inbound');
export const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
export const resultOf = ({ status, body }: ApiResponse) => `${status} ${body.error}`;

/** What a request is given otherwise than by its route's examples. */
export interface Sending {
  tenant?: string;
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
  params?: Record<string, string>;
  /** With its question mark. */
  query?: string;
}

/** A request that nothing is wrong with but what is given otherwise. */
export function send(store: StoreContext, route: Route, given: Sending = {}): Promise<ApiResponse> {
  const { api, tenant } = store;
  const key = keyTo(route, store);
  return api.call(route.method.toUpperCase(), addressOf(route, tenant.slug, given.params) + (given.query ?? ''), {
    ...(!('tenant' in given) && !key && { tenant: tenant.slug }),
    ...(key && { key }),
    ...(route.method !== 'get' && route.body && { body: exampleOf(route.body) }),
    ...given,
    ...(route.audience.kind === 'staff' && { headers: { ...store.staff, ...given.headers } }),
  });
}

/** The route's address with its parameters' examples in place. */
export function addressOf({ path, params }: Route, tenant: string, given: Record<string, string> = {}): string {
  const values: Record<string, unknown> = {
    ...(params && (exampleOf(params) as object)),
    tenant_slug: tenant,
    ...given,
  };
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

/** What the route cannot do without. */
export function keyTo({ audience }: Route, { key, session }: StoreContext): string | undefined {
  return audience.kind === 'bearer' ? key : audience.kind === 'session' ? session : undefined;
}

/** Whether a route takes the session cookie of staff. */
export const isForStaff = ({ audience }: Route): boolean =>
  audience.kind === 'staff' || (audience.kind === 'bearer' && audience.staff === true);

/** The same request with the cookie instead of a key. */
export function sendAsStaff({ api, tenant, staff }: StoreContext, route: Route, headers = staff): Promise<ApiResponse> {
  return api.call(route.method.toUpperCase(), addressOf(route, tenant.slug), { headers });
}

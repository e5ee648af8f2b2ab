import { invalidSession, type OpenSession, openSession, tenantIdOfSession } from '#src/domain/sessions/index.ts';
import { invalidStaffSession, openStaffSession, roles, type StaffSession } from '#src/domain/staff/index.ts';
import { covers, type OpenedKey, type Scope, type Tenant, tenantIdOfToken } from '#src/domain/tenants/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { Slug } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';
import type { Services } from '#src/services.ts';
import { type Audience, acceptedScopes, type Caller, scopesOf } from './define-route.ts';
import { HttpError } from './http-error.ts';

/**
 * Find the tenant, and the key where one is sent or required.
 * @throws 400 `missing_tenant`, 401 for a key that opens nothing, 403 `insufficient_scope`, 404 `unknown_tenant`
 */
export async function authenticate(
  services: Pick<Services, 'tenants' | 'keys' | 'context'>,
  audience: Audience,
  { authorization, slug, tenantIdOf, staffToken = '' }: Credentials,
): Promise<Visitor> {
  if (audience.kind === 'staff' || (audience.kind === 'bearer' && audience.staff && staffToken && !authorization))
    return authenticateStaff(services, audience, { authorization, slug, staffToken });
  if (audience.kind === 'session')
    return authenticateSession(services, { authorization, slug, tenantId: tenantIdOf?.() });
  if (tenantIdOf) return authenticateHolder(services, audience, { authorization, slug, tenantIdOf });
  if (audience.kind === 'public' || audience.kind === 'inbound') {
    if (slug === '' && authorization !== '') throw missingTenant('this operation takes no key');
    return { tenant: await tenantBySlug(services, slug), key: undefined };
  }
  if (audience.kind !== 'bearer' && authorization === '')
    return { tenant: await tenantBySlug(services, slug), key: undefined };

  const key = await services.keys.open(bearerOf(authorization));
  const tenant = await services.tenants.byId(key.tenantId);
  if (!tenant) throw new DomainError('unauthenticated', 'invalid_key', 'There is no such key.');
  if (audience.kind !== 'bearer' && slug !== '' && slug !== tenant.slug) {
    throw new HttpError(400, 'invalid_request', 'The key and the x-tenant-slug header refer to different stores.');
  }
  if (!coversOne(key.scopes, audience)) throw insufficientScope(audience.scope);
  return { tenant, key };
}

const coversOne = (held: readonly Scope[], audience: Parameters<typeof acceptedScopes>[0]): boolean =>
  acceptedScopes(audience).some((scope) => covers(held, scope));

export function insufficientScope(scope: Scope): DomainError {
  return new DomainError('forbidden', 'insufficient_scope', `This requires the scope ${scope}.`, {
    extensions: { required_scope: scope },
  });
}

/**
 * Find the member of the staff by the session cookie, which determines the store. A page that names another store in
 * the header is of an earlier sign-in: its requests must not reach this one.
 *
 * @throws 401 `invalid_session`, or `expired_session`; 403 `insufficient_scope`
 */
async function authenticateStaff(
  { tenants, context }: Pick<Services, 'tenants' | 'context'>,
  audience: Audience & { kind: 'staff' | 'bearer' },
  { authorization, slug, staffToken }: Credentials & { staffToken: string },
): Promise<Visitor> {
  const tenantId = authorization === '' ? tenantIdOfToken(staffToken) : undefined;
  const tenant = tenantId === undefined ? undefined : await tenants.byId(tenantId);
  if (!tenant || (slug !== '' && slug !== tenant.slug)) throw invalidStaffSession();
  const staff = await openStaffSession({ ...context(), tenant }, staffToken);
  if (audience.kind === 'bearer' && !coversOne(roles[staff.staff.role], audience))
    throw insufficientScope(audience.scope);
  return { tenant, key: undefined, staff };
}

/** @throws DomainError `insufficient_scope` unless the caller has this scope, one of those that the route accepts */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!hasScope(caller, scope)) throw insufficientScope(scope);
}

/** Whether the caller's key, or the role of the member of staff, has this scope. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  return covers(scopesOf(caller), scope);
}

/**
 * A token determines the tenant if nothing else does. Otherwise both must refer to the same, and what is wrong with the
 * key or the header is reported first.
 */
async function authenticateHolder(
  services: Pick<Services, 'tenants' | 'keys' | 'context'>,
  audience: Audience,
  { authorization, slug, tenantIdOf }: Credentials & { tenantIdOf: () => string | undefined },
): Promise<Visitor> {
  if (authorization === '' && slug === '') {
    const tenantId = tenantIdOf();
    if (tenantId === undefined) throw missingTenant();
    const tenant = await services.tenants.byId(tenantId);
    if (!tenant) throw unknownTenant();
    return { tenant, key: undefined };
  }
  const visitor = await authenticate(services, audience, { authorization, slug });
  const tenantId = tenantIdOf();
  if (tenantId === undefined || visitor.tenant.id === tenantId) return visitor;
  throw new HttpError(400, 'invalid_request', 'The token belongs to a different store than the one the request names.');
}

async function tenantBySlug({ tenants }: Pick<Services, 'tenants'>, slug: string): Promise<Tenant> {
  if (slug === '') throw missingTenant();
  const tenant = fits(Slug, slug) ? await tenants.bySlug(slug) : undefined;
  if (!tenant) throw unknownTenant();
  return tenant;
}

const missingTenant = (why = '') =>
  new HttpError(400, 'missing_tenant', `Send the store's slug in the x-tenant-slug header${why && `: ${why}`}.`);

const unknownTenant = () => new DomainError('not_found', 'unknown_tenant', 'There is no store with this slug.');

export function bearerOf(authorization: string): string {
  const [, key] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (!key)
    throw new DomainError('unauthenticated', 'missing_key', 'An API key is required: Authorization: Bearer <key>.');
  return key;
}

/**
 * Find the signed-in customer. The session determines its store, so no header is needed; with a header of another store
 * the session is invalid. If another token determines the store (`tenantId`), its bearer need not be signed in: the
 * handler verifies that token.
 *
 * @throws 401 `invalid_session`, or `expired_session`
 */
async function authenticateSession(
  { tenants, context }: Pick<Services, 'tenants' | 'context'>,
  { authorization, slug, tenantId: holderOf }: Credentials & { tenantId: string | undefined },
): Promise<Visitor> {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const tenantId = holderOf ?? (await tenantIdOfSession(token));
  const tenant = tenantId === undefined ? undefined : await tenants.byId(tenantId);
  if (!tenant || (slug !== '' && slug !== tenant.slug)) throw invalidSession();
  if (holderOf !== undefined) return { tenant, key: undefined };
  return { tenant, key: undefined, session: await openSession({ ...context(), tenant }, token) };
}

/** Who sends a request, and to which store. */
export interface Visitor {
  readonly tenant: Tenant;
  readonly key: OpenedKey | undefined;
  readonly session?: OpenSession;
  readonly staff?: StaffSession;
}

/** The credentials of a request. '' stands for what was not sent. */
export interface Credentials {
  readonly authorization: string;
  readonly slug: string;
  /** The value of the cookie of staff. */
  readonly staffToken?: string;
  /** The tenant that the request's token determines, on a route with such a token. Throws for an invalid token. */
  readonly tenantIdOf?: (() => string | undefined) | undefined;
}

import { invalidSession, openSession, tenantIdOfSession } from '#src/domain/sessions/index.ts';
import type { Services } from '#src/services.ts';
import type { Credentials, Visitor } from './visitor.ts';

/**
 * Find whoever is signed in. The session names its store, so no header is needed; one that names another store makes
 * the session worthless. Where another token names the store (`tenantId`), whoever holds that need not be signed in:
 * the handler judges the token.
 *
 * @throws 401 `invalid_session`, or `expired_session`
 */
export async function authenticateSession(
  { tenants, context }: Pick<Services, 'tenants' | 'context'>,
  { authorization, slug, tenantId: holderOf }: Credentials,
): Promise<Visitor> {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const tenantId = holderOf ?? (await tenantIdOfSession(token));
  const tenant = tenantId === undefined ? undefined : await tenants.byId(tenantId);
  if (!tenant || (slug !== '' && slug !== tenant.slug)) throw invalidSession();
  if (holderOf !== undefined) return { tenant, key: undefined };
  return { tenant, key: undefined, session: await openSession({ ...context(), tenant }, token) };
}

import type { Sent, TenantNaming } from '#src/api/lib/define-route.ts';
import { tenantIdOfToken } from '#src/domain/tenants/index.ts';

/** The token of a request, from the query (as in links) or from the body. */
export function tokenOf({ query, body }: Sent): string | undefined {
  const inBody = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
  const token = query['token'] ?? inBody;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/**
 * Finds the tenant of a token.
 * @param invalidToken creates the route's error for an invalid token
 */
export function tenantOfToken(invalidToken: () => Error): TenantNaming {
  return (sent) => {
    const token = tokenOf(sent);
    if (token === undefined) return undefined;
    const tenantId = tenantIdOfToken(token);
    if (tenantId === undefined) throw invalidToken();
    return tenantId;
  };
}

import type { Sent, TenantNaming } from '#src/api/lib/define-route.ts';
import { tenantIdOfToken } from '#src/domain/tenants/index.ts';

/** The token of a request: in the query, where links carry it, or in the body. */
export function tokenOf({ query, body }: Sent): string | undefined {
  const inBody = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
  const token = query['token'] ?? inBody;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** The tenant whose token it is. `refuse` makes the route's own refusal of what is no token. */
export function tenantOfToken(refuse: () => Error): TenantNaming {
  return (sent) => {
    const token = tokenOf(sent);
    if (token === undefined) return undefined;
    const tenantId = tenantIdOfToken(token);
    if (tenantId === undefined) throw refuse();
    return tenantId;
  };
}

import { type AdminArea, adminAreas, covers, type Scope } from '../tenants/index.ts';

const mayRead = (...areas: readonly AdminArea[]): Scope[] => areas.map((area) => `admin.${area}:read` as const);
const mayWrite = (...areas: readonly AdminArea[]): Scope[] =>
  areas.flatMap((area) => [`admin.${area}:read`, `admin.${area}:write`] as const);

/** What each role may do. API keys and credentials are changed with `admin:write` alone. */
export const roles = {
  owner: ['admin:read', 'admin:write'],
  manager: mayWrite(...adminAreas.filter((area) => area !== 'staff')),
  fulfilment: [...mayRead('orders', 'catalog'), ...mayWrite('labels', 'returns')],
  /** Shoppers ask why a code is rejected, and what is left on a gift card. */
  support: [...mayRead('labels', 'catalog', 'promotions'), ...mayWrite('orders', 'refunds', 'returns', 'customers')],
  /** Numbers, and what is sold: none of these areas shows who a shopper is. */
  analyst: mayRead('catalog', 'promotions', 'analytics'),
} as const satisfies Record<string, readonly Scope[]>;

export type Role = keyof typeof roles;
export const roleNames = Object.keys(roles) as readonly Role[];

/** A scope of the role that these scopes do not include: with them it cannot be granted. `undefined` if there is none. */
export function missingScope(held: readonly Scope[], role: Role): Scope | undefined {
  return roles[role].find((scope) => !covers(held, scope));
}

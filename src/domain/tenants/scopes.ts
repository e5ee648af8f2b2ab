/** What a key may be allowed to touch: see api.md, "Authentication". */
const resources = [
  'products',
  'search',
  'inventory',
  'content',
  'storefront',
  'cart',
  'checkout',
  'orders',
  'customers',
  'subscriptions',
  'returns',
  'leads',
  'wholesale',
  'partners',
  'shipping',
  'analytics',
  'integrations',
  'admin',
] as const;

export type Scope = `${(typeof resources)[number]}:${'read' | 'write'}`;

export const scopes: readonly Scope[] = resources.flatMap(
  (resource) => [`${resource}:read`, `${resource}:write`] as const,
);

/** A publishable key is seen by every shopper, so it may hold no more than a shopper may do. */
export const publishableScopes: readonly Scope[] = [
  'products:read',
  'search:read',
  'inventory:read',
  'content:read',
  'storefront:read',
  'cart:read',
  'cart:write',
  'checkout:read',
  'checkout:write',
  'leads:read',
  'leads:write',
  'wholesale:read',
  'wholesale:write',
  'partners:read',
  'partners:write',
  'shipping:read',
  'analytics:write',
];

/** Whether the scopes of a key cover what a route asks for. Who may write may read. */
export function covers(held: readonly Scope[], required: Scope): boolean {
  const [resource, verb] = required.split(':');
  return held.includes(required) || (verb === 'read' && held.includes(`${resource}:write` as Scope));
}

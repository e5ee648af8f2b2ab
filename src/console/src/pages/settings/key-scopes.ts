import type { Body } from '@storefront-commerce/client';

type Scope = Body<'admin.createKey'>['scopes'][number];
type Resource = Scope extends `${infer Name}:${string}` ? Name : never;

/** Fails to compile when the API has another resource. */
const resources: Readonly<Record<Resource, true>> = {
  products: true,
  search: true,
  inventory: true,
  content: true,
  storefront: true,
  cart: true,
  checkout: true,
  orders: true,
  customers: true,
  subscriptions: true,
  returns: true,
  leads: true,
  wholesale: true,
  partners: true,
  shipping: true,
  analytics: true,
  integrations: true,
  admin: true,
  'admin.orders': true,
  'admin.refunds': true,
  'admin.labels': true,
  'admin.returns': true,
  'admin.customers': true,
  'admin.catalog': true,
  'admin.content': true,
  'admin.promotions': true,
  'admin.webhooks': true,
  'admin.analytics': true,
  'admin.settings': true,
  'admin.staff': true,
};

/** What a key may be allowed. */
export const keyScopes: readonly Scope[] = (Object.keys(resources) as Resource[]).flatMap(
  (resource) => [`${resource}:read`, `${resource}:write`] as const,
);

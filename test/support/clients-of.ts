import { type Admin, createAdmin, createStorefront, type Storefront } from '#src/client/src/index.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';

/**
 * The clients of a running stack's store, with its secret key. A busy machine may respond 503, for example when a
 * provider does not respond in time: they retry for longer than a shopper would wait.
 */
export function clientsOf({ url, store }: Pick<Stack, 'url' | 'store'>): { admin: Admin; storefront: Storefront } {
  const options = { baseUrl: url, secretKey: store.secretKey, retries: 100, retryWithinMs: 120_000 };
  return { admin: createAdmin(options), storefront: createStorefront({ ...options, tenant: store.slug }) };
}

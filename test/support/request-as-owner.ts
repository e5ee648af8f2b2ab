import { randomUUID } from 'node:crypto';

import type { Stack } from '#src/dev/stack/start-stack.ts';
import { until } from './until.ts';

/**
 * Call a running stack as its store's owner: POST with a body, GET without. A busy machine may respond 503, for example
 * when a provider does not respond in time; the same request is then sent again, with the same idempotency key.
 */
export async function requestAsOwner(
  { url, store }: Pick<Stack, 'url' | 'store'>,
  path: string,
  body?: object,
): Promise<any> {
  const request = {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${store.secretKey}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
  const response = await until(
    async () => {
      const response = await fetch(`${url}/api/v1${path}`, request);
      return response.status === 503 ? undefined : response;
    },
    { everyMs: 1000, what: path },
  );
  const result = (await response.json()) as any;
  if (!response.ok) throw new Error(`${path}: ${result.detail}`);
  return result;
}

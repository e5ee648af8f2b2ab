import type { Stack } from '#src/dev/stack/start-stack.ts';

/** Call a running stack as its store's owner: POST with a body, GET without. */
export async function requestAsOwner(
  { url, store }: Pick<Stack, 'url' | 'store'>,
  path: string,
  body?: object,
): Promise<any> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${store.secretKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const result = (await response.json()) as any;
  if (!response.ok) throw new Error(`${path}: ${result.detail}`);
  return result;
}

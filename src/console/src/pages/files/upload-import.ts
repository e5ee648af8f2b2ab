import { ApiError, type Import, type Query } from '@storefront-commerce/client';

import { fetchThroughGates, readJson } from '../../session/gates.ts';

/** Sends a file as the body of an import, which the client does not do. */
export async function uploadImport(file: File, query: Query<'admin.createImport'>): Promise<Import> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const request = new Request(`/api/v1/admin/imports?${search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });
  const response = await fetchThroughGates(request).catch((cause: unknown) => {
    throw new ApiError('connection_failed', 'The file did not arrive.', { cause });
  });
  const body = await readJson(response);
  if (response.ok && body?.import) return body.import;
  throw new ApiError(body?.error ?? 'unexpected_response', body?.detail ?? '', { response, body });
}

import { ApiError, type Import, type Query } from '@storefront-commerce/client';

import { fetchThroughGates, readJson } from '../../session/gates.ts';

const connectionLost =
  'The connection was lost, and the file may have arrived. Send it again from here: it is not imported twice. If you ' +
  'leave this page, look at the list of imports first.';

/** Sends a file as the body of an import, which the client does not do. */
export async function uploadImport(
  file: File,
  query: Query<'admin.createImport'>,
  { idempotencyKey }: { idempotencyKey: string },
): Promise<Import> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const request = new Request(`/api/v1/admin/imports?${search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'idempotency-key': idempotencyKey },
    body: file,
  });
  const response = await fetchThroughGates(request).catch((cause: unknown) => {
    throw new ApiError('service_unavailable', connectionLost, { cause });
  });
  const body = await readJson(response);
  if (response.ok && body?.import) return body.import;
  throw new ApiError(body?.error ?? 'unexpected_response', body?.detail ?? '', { response, body });
}

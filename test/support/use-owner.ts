import type { TestFn } from 'ava';

import { listAudit, presentAuditEntry } from '#src/domain/audit/index.ts';
import type { Context } from '#src/domain/context.ts';
import type { ApiResponse, TestApi } from './api.ts';
import { buildKey } from './factories/keys.ts';
import { buildTenant } from './tenant.ts';
import { type ApiContext, useApi } from './use-api.ts';

/** Calls the owner's routes with one key; paths are below `/api/v1/admin`. */
export interface Owner {
  get(path: string): Promise<ApiResponse>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  put(path: string, body: unknown): Promise<ApiResponse>;
  patch(path: string, body: unknown): Promise<ApiResponse>;
  delete(path: string): Promise<ApiResponse>;
}

export interface OwnerContext extends ApiContext {
  owner: Owner;
  /** The owner of another store. */
  otherOwner: Owner;
}

/** `useApi`, with the owners of two stores at the counter. */
export function useOwner(test: TestFn<OwnerContext>, options: Parameters<typeof useApi>[1] = {}): void {
  useApi(test as unknown as TestFn<ApiContext>, options);
  test.beforeEach(async (t) => {
    const { ctx, services } = t.context;
    // This hook runs beside the one that serves the application.
    const api = () => t.context.api;
    t.context.owner = await ownerOf(api, ctx);
    t.context.otherOwner = await ownerOf(api, { ...ctx, tenant: await buildTenant(services) });
  });
}

export async function ownerOf(api: () => TestApi, ctx: Context): Promise<Owner> {
  const key = await buildKey(ctx, ['admin:write']);
  const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    api().call(method, `/api/v1/admin${path}`, { key, headers, ...(body !== undefined && { body }) });
  return {
    get: (path) => request('GET', path),
    post: (path, body, headers) => request('POST', path, body, headers),
    put: (path, body) => request('PUT', path, body),
    patch: (path, body) => request('PATCH', path, body),
    delete: (path) => request('DELETE', path),
  };
}

type AuditLine = ReturnType<typeof presentAuditEntry> & { readonly before: any; readonly after: any };

/** The audit log of the store, the oldest line first. */
export async function auditOf(ctx: Context): Promise<AuditLine[]> {
  const { rows } = await listAudit(ctx, { limit: 100 });
  return rows.toReversed().map((entry) => presentAuditEntry(entry)) as AuditLine[];
}

/** What was done, in order: `product.created`. */
export const deedsOf = async (ctx: Context) => (await auditOf(ctx)).map(({ action }) => action);

/** The status of a response and, if it has one, its error code. */
export const resultOf = ({ status, body }: ApiResponse) => (status < 400 ? String(status) : `${status} ${body.error}`);

/** The invalid fields of a rejected request, each once. */
export const placesOf = ({ body }: ApiResponse): string[] => [
  ...new Set<string>(body.errors.map(({ path }: { path: string }) => path)),
];

/** Every page of a list, two rows at a time. */
export async function pagesOf(owner: Owner, path: string, plural: string): Promise<any[][]> {
  const pages: any[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = new URLSearchParams({ limit: '2', ...(cursor && { cursor }) }).toString();
    const { status, body } = await owner.get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    if (status !== 200) throw new Error(`${path}: ${status} ${body.error}`);
    pages.push(body[plural]);
    cursor = body.cursor;
  }
  return pages;
}

import createOpenApiClient, { type Client } from 'openapi-fetch';

import { ApiError, errorOf } from './api-error.ts';
import type { paths } from './generated/api.ts';
import type { IdempotentOptions, Operation, OperationTable } from './operation.ts';
import { fetchWithRetries, type RetryOptions } from './retry.ts';

export interface ClientOptions extends RetryOptions {
  /** The URL of the service, without `/api/v1`. */
  readonly baseUrl: string;
  /** Sent with every request, unless it has its own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The API by its paths: openapi-fetch, whose requests are authenticated and repeated like those of the methods. */
export type HttpClient = Client<paths>;

/**
 * A client with a method for each operation of the table.
 * @param keyFor the API key to send with an operation, which is unknown where the table lacks it
 */
export function createClient<Methods>(
  table: OperationTable,
  { baseUrl, headers, ...retryOptions }: ClientOptions,
  keyFor: (operation: Operation | undefined) => string | undefined,
): Methods & { readonly http: HttpClient } {
  const http = createOpenApiClient<paths>({
    baseUrl,
    headers: { ...headers },
    fetch: fetchWithRetries(retryOptions),
  });
  const operationAt = indexOperations(table);
  http.use({
    onRequest({ request, schemaPath }) {
      const operation = operationAt(request.method, schemaPath);
      const key = operation?.needsSession ? undefined : keyFor(operation);
      if (key !== undefined) setUnlessGiven(request, 'authorization', `Bearer ${key}`);
      if (operation?.isIdempotent) setUnlessGiven(request, 'idempotency-key', randomKey());
    },
  });
  const methods = Object.entries(table).map(([name, operation]) => [
    name,
    (...args: unknown[]) => call(http, operation, args),
  ]);
  // The table and the interface of the methods are generated from the same document.
  return { ...Object.fromEntries(methods), http };
}

/** Finds an operation of the table by its method and path. */
export function indexOperations(table: OperationTable): (method: string, path: string) => Operation | undefined {
  const byPlace = new Map(
    Object.values(table).map((operation) => [`${operation.method} ${operation.path}`, operation]),
  );
  return (method, path) => byPlace.get(`${method} ${path}`);
}

type Page = Readonly<Record<string, readonly unknown[]>> & { readonly cursor: string | null };

/** The method of an operation: arguments for its path, its input, and options. */
function call(http: HttpClient, operation: Operation, args: readonly unknown[]): Promise<unknown> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const path = Object.fromEntries(names.map((name, index) => [name, args[index]]));
  const input = operation.input && args[names.length];
  const options = args[names.length + (operation.input ? 1 : 0)] as IdempotentOptions | undefined;
  const load = (further: object) =>
    request(http, operation, {
      params: { path, ...(operation.input === 'query' && { query: { ...(input as object | undefined), ...further } }) },
      ...(operation.input === 'body' && { body: input }),
      ...(options?.signal && { signal: options.signal }),
      headers: {
        ...options?.headers,
        ...(options?.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
      },
    });
  const response = load({});
  const { items } = operation;
  if (items === undefined) return response;
  return Object.assign(response, {
    async *[Symbol.asyncIterator]() {
      let page = (await response) as Page;
      for (;;) {
        yield* page[items] ?? [];
        if (page.cursor === null) return;
        page = (await load({ cursor: page.cursor })) as Page;
      }
    },
  });
}

/** @throws ApiError, or the reason of the signal */
async function request(http: HttpClient, { method, path }: Operation, init: object): Promise<unknown> {
  const send = http.request as (method: string, path: string, init: object) => Promise<Outcome>;
  const { data, error, response } = await send(method, path, init).catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ApiError('unexpected_response', 'The response is not JSON.', { cause });
  });
  if (!response.ok) throw errorOf(response, error);
  return data;
}

interface Outcome {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** Headers of a request that its caller gave win. */
export function setUnlessGiven({ headers }: Request, name: string, value: string): void {
  if (!headers.has(name)) headers.set(name, value);
}

/** Also in pages without HTTPS, where `crypto.randomUUID` does not exist. */
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

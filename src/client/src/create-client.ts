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
  keyFor: (operation: Pick<Operation, 'needs'> | undefined) => string | undefined,
): Methods & { readonly http: HttpClient } {
  const key = keyFor({ needs: 'key' });
  try {
    new Request(new URL(baseUrl), { headers: { ...headers, authorization: `Bearer ${key}` } });
  } catch (cause) {
    throw invalidArgument('The baseUrl, the key or a header is not valid.', cause);
  }
  // A browser would report only that the connection failed: an unknown path is not open to other origins.
  if (/\/api\/v1\/?$/.test(new URL(baseUrl).pathname))
    throw invalidArgument('The baseUrl ends before /api/v1, which each request adds.');
  const http = createOpenApiClient<paths>({
    baseUrl,
    headers: { ...headers },
    fetch: fetchWithRetries(retryOptions),
    querySerializer: toQuery,
    pathSerializer: (path, values) => path.replace(/\{(\w+)\}/g, (_, name) => toSegment(name, values[name])),
  });
  http.use({
    onRequest({ request, schemaPath }) {
      const operation = findOperation(table, request, schemaPath);
      const key = operation?.needs === 'session' ? undefined : keyFor(operation);
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

export const findOperation = (table: OperationTable, { method }: Request, path: string): Operation | undefined =>
  Object.values(table).find(({ at }) => at === `${method} ${path}`);

type Page = Readonly<Record<string, readonly unknown[]>> & { readonly cursor?: string | null };

/** The method of an operation: arguments for its path, its input, and options. */
function call(http: HttpClient, operation: Operation, args: readonly unknown[]): Promise<unknown> {
  const names = Array.from(operation.at.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const path = Object.fromEntries(names.map((name, index) => [name, args[index]]));
  const input = operation.input && args[names.length];
  const options = args[names.length + (operation.input ? 1 : 0)] as IdempotentOptions | undefined;
  const load = (further: object) =>
    request(http, operation, {
      params: { path, ...(operation.input === 'query' && { query: { ...(input as object | undefined), ...further } }) },
      ...(operation.input === 'body' && { body: input }),
      signal: options?.signal,
      headers: { 'idempotency-key': options?.idempotencyKey, ...options?.headers },
    });
  const response = load({});
  const { items } = operation;
  if (items === undefined) return response;
  return Object.assign(response, {
    async *[Symbol.asyncIterator]() {
      let page = (await response) as Page;
      for (;;) {
        yield* page[items] ?? [];
        if (!page.cursor) return;
        page = (await load({ cursor: page.cursor })) as Page;
      }
    },
  });
}

/** @throws ApiError, or the reason of the signal */
async function request(http: HttpClient, { at }: Operation, init: object): Promise<unknown> {
  const [method = '', path = ''] = at.split(' ');
  const send = http.request as (method: string, path: string, init: object) => Promise<Outcome>;
  const { data, error, response } = await send(method, path, { ...init, parseAs: 'text' });
  if (!response.ok) throw errorOf(response, error);
  try {
    return response.status === 204 ? undefined : JSON.parse(data ?? '');
  } catch {
    throw errorOf(response);
  }
}

/** Scripts without types give what openapi-fetch leaves out, such as a `Date`; half a character becomes U+FFFD. */
function toQuery(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.set(name, String(value instanceof Date ? value.toJSON() : value));
  return search.toString();
}

/** Nothing, `.` and `..` would make the path another operation's; half a character cannot be encoded. */
function toSegment(name: string, value: unknown): string {
  const text = String(value ?? '');
  if (/^\.{0,2}$|\p{Cs}/u.test(text)) throw invalidArgument(`The ${name} in the path is "${text}".`);
  return encodeURIComponent(text);
}

const invalidArgument = (detail: string, cause?: unknown) => new ApiError('invalid_argument', detail, { cause });

interface Outcome {
  readonly data?: string;
  readonly error?: unknown;
  readonly response: Response;
}

/** Headers of a request that its caller gave win. */
export function setUnlessGiven({ headers }: Request, name: string, value: string): void {
  if (!headers.has(name)) headers.set(name, value);
}

/** Also in pages without HTTPS, where `crypto.randomUUID` does not exist. */
const randomKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

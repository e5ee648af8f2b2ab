import type { IncomingMessage } from 'node:http';
import type { RouterContext } from '@koa/router';
import getRawBody from 'raw-body';
import { composed, parseComposedJson } from '#src/lib/composed.ts';
import { seconds } from '#src/lib/duration.ts';
import { DomainError, rejectIssues, serviceUnavailable } from '#src/lib/errors.ts';
import type { TObject } from '#src/lib/schema.ts';
import { findUnwritable } from '#src/lib/unwritable.ts';
import { type Issue, issuesOf, issuesOfText } from '#src/lib/validation.ts';
import { within } from '#src/lib/within.ts';
import type { Route } from './define-route.ts';
import { HttpError } from './http-error.ts';

/** A request's body as it was sent: not yet held to its schema. */
export interface SentBody {
  readonly body: unknown;
  readonly rawBody: Buffer;
}

/** Read the body of a client, at most once. Throws 413, 415, 503 and 400 `invalid_json`. */
export function bodyReader(route: Route, koa: RouterContext, client: string): () => Promise<SentBody> {
  let sent: Promise<SentBody> | undefined;
  return () => (sent ??= readBody(route, koa, client));
}

async function readBody(route: Route, koa: RouterContext, client: string): Promise<SentBody> {
  if (!route.body && !route.rawBody) return { body: undefined, rawBody: Buffer.alloc(0) };
  const bytes = await whileArriving(client, sizeOf(koa, route), () => readBytes(koa.req, route.bodyBytesMax));
  if (route.rawBody) return { body: undefined, rawBody: bytes };
  if (bytes.length > 0) rejectCompressed(koa.get('content-encoding'));
  const contentType = koa.get('content-type');
  const isPlain = route.plainTextJson && /^(?:text\/plain\s*(?:;|$)|$)/i.test(contentType);
  const body =
    route.form && isForm(contentType)
      ? await parseForm(bytes, contentType)
      : parseJson(bytes, isPlain ? 'application/json' : contentType, route.checksText);
  return { body, rawBody: bytes };
}

/** How large the body may become. */
function sizeOf(koa: RouterContext, { bodyBytesMax }: Route): number {
  const length = koa.get('content-length');
  if (length === '' && koa.get('transfer-encoding') === '') return 0;
  return Math.min(Number(length || bodyBytesMax), bodyBytesMax);
}

/** What the bodies of one client may take of the memory of a process until they have arrived. */
const arrivingBytesMax = 16 * 1024 * 1024;

/** How much of it each client takes. */
const arriving = new Map<string, number>();

/** Rates and ceilings count a request once its body has arrived, so many that stand still need a limit of their own. */
async function whileArriving<Result>(client: string, bytes: number, read: () => Promise<Result>): Promise<Result> {
  const taken = (arriving.get(client) ?? 0) + bytes;
  if (taken > arrivingBytesMax) throw serviceUnavailable('Too many bodies of this client are on their way.', 1);
  arriving.set(client, taken);
  try {
    return await read();
  } finally {
    const left = (arriving.get(client) ?? 0) - bytes;
    if (left > 0) arriving.set(client, left);
    else arriving.delete(client);
  }
}

/** Compressed bodies are rejected: their real size is unknown before they are unpacked. */
function rejectCompressed(encoding: string): void {
  if (encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new HttpError(415, 'unsupported_media_type', 'The body must not have a Content-Encoding.');
}

/** The parameters and the query in the types of their schemas. A malformed id in a path is 404, all else 400. */
export function checkRequest(route: Route, koa: RouterContext, body: unknown): { params: unknown; query: unknown } {
  const params = route.params && composedValues(koa.params);
  const [wrong] = issuesOfGiven(route.params, params);
  if (wrong) throw new DomainError('not_found', 'not_found', `Not found: this is not a valid ${wrong.path.slice(1)}.`);
  const query = route.query && givenValues(koa.query);
  rejectIssues(issuesOfGiven(route.query, query), 'The query');
  if (route.body) rejectIssues(issuesOf(route.body, body), 'The body');
  return { params, query };
}

/** An empty parameter is omitted: a form in HTML sends every field, whether it was filled in or not. */
function givenValues(query: RouterContext['query']): Record<string, unknown> {
  return composedValues(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')));
}

function composedValues(given: Readonly<Record<string, string | string[] | undefined>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(composed) : value && composed(value),
    ]),
  );
}

/** What is wrong in text. Its values become those of the schema's types. */
function issuesOfGiven(schema: TObject | undefined, given: Record<string, unknown> | undefined): readonly Issue[] {
  if (!schema || !given) return [];
  const repeated = repeatedIn(schema, given);
  return repeated.length > 0 ? repeated : [...nulsIn(given), ...issuesOfText(schema, given)];
}

/** No parameter of ours is a list: one that is given twice would be rejected for its type, which is not what is wrong. */
function repeatedIn({ properties }: TObject, given: Record<string, unknown>): Issue[] {
  return Object.keys(properties)
    .filter((name) => Array.isArray(given[name]))
    .map((name) => ({ path: `/${name}`, code: 'type', detail: 'must be given once' }));
}

/** A URL can contain NUL, which PostgreSQL cannot store in a text. */
function nulsIn(given: Record<string, unknown>): Issue[] {
  const holdsNul = (value: unknown) => [value].flat().some((text) => typeof text === 'string' && text.includes('\0'));
  return Object.keys(given)
    .filter((name) => holdsNul(given[name]))
    .map((name) => ({ path: `/${name}`, code: 'pattern', detail: 'must not contain a NUL character' }));
}

/** How long a body may take to arrive that is not streamed. */
export const arrivalMs = seconds(30);

/** The body's bytes, at most `bytesMax` of them. Throws 413 beyond, and 408 for one that arrives too slowly. */
export async function readBytes(
  request: IncomingMessage,
  bytesMax: number,
  { withinMs = arrivalMs } = {},
): Promise<Buffer> {
  const length = request.headers['content-length'] ?? null;
  const bytes = await within(withinMs, getRawBody(request, { limit: bytesMax, length })).catch((error: unknown) => {
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') throw tooLarge(bytesMax);
    throw incompleteBody();
  });
  if (bytes) return bytes;
  throw new HttpError(408, 'request_timeout', 'The request took too long to arrive.', { connection: 'close' });
}

/** The body of a streamed route as it arrives. Throws 413 and 415, and where it ends in the middle 400. */
export function streamBody({ streamed = [], bodyBytesMax }: Route, koa: RouterContext): AsyncIterable<Buffer> {
  const [type = ''] = koa.get('content-type').toLowerCase().split(';');
  rejectCompressed(koa.get('content-encoding'));
  if (!streamed.includes(type.trim())) {
    throw new HttpError(415, 'unsupported_media_type', `The body must be ${streamed.join(', ')}.`);
  }
  if (Number(koa.get('content-length')) > bodyBytesMax) throw tooLarge(bodyBytesMax);
  return readPieces(koa.req, bodyBytesMax);
}

async function* readPieces(request: IncomingMessage, bytesMax: number): AsyncIterable<Buffer> {
  let bytes = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      yield piece;
    }
  } catch (error) {
    throw error instanceof HttpError ? error : incompleteBody();
  }
}

/** Routes that are not streamed have none. */
export async function* noPieces(): AsyncIterable<Buffer> {}

const tooLarge = (bytesMax: number) =>
  new HttpError(413, 'payload_too_large', `The body may have at most ${bytesMax} bytes.`);
const incompleteBody = () => new HttpError(400, 'invalid_request', 'The body could not be read completely.');

/** The JSON in a body. A request without a body needs no Content-Type and means an empty object. */
function parseJson(bytes: Buffer, contentType: string, checksText = false): unknown {
  if (bytes.length === 0) return {};
  if (!/^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw new HttpError(415, 'unsupported_media_type', 'The body must be application/json.');
  }
  const text = decodeUtf8(bytes);
  if (depthOf(text) > depthMax)
    throw new HttpError(400, 'invalid_request', `The body may be nested at most ${depthMax} levels deep.`);
  let value: unknown;
  try {
    value = parseComposedJson(text);
  } catch {
    throw new HttpError(400, 'invalid_json', 'The body is not JSON.');
  }
  const issue = !checksText && suspicious.test(text) && findUnwritable(value);
  if (issue) rejectIssues([issue], 'The body');
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpError(400, 'invalid_json', 'The body is not UTF-8.');
  }
}

/** Deeper than any schema here, and far from what exhausts the stack. */
const depthMax = 32;

/** How deep lists and objects are nested. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inText && character === '\\') index += 1;
    else if (character === '"') inText = !inText;
    else if (!inText && (character === '[' || character === '{')) deepest = Math.max(deepest, (depth += 1));
    else if (!inText && (character === ']' || character === '}')) depth -= 1;
  }
  return deepest;
}

/** The escapes that may mean what is unwritable. Most bodies have none. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** The text fields of an HTML form in a body, as pages (urlencoded) and mail programs (also multipart) post them. */
export async function parseForm(bytes: Buffer, contentType: string): Promise<Record<string, string>> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
    return Object.fromEntries([...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  } catch {
    throw new HttpError(400, 'invalid_request', 'The body is not a form.');
  }
}

function isForm(contentType: string): boolean {
  return /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(contentType);
}

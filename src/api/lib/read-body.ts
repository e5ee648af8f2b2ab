import type { IncomingMessage } from 'node:http';

import getRawBody from 'raw-body';

import { HttpError } from './http-error.ts';

/** The body's bytes, at most `bytesMax` of them. Throws 413 beyond. */
export async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit: bytesMax, length: request.headers['content-length'] ?? null });
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
      throw new HttpError(413, 'payload_too_large', `The body may have at most ${bytesMax} bytes.`);
    }
    throw new HttpError(400, 'invalid_request', 'The body could not be read to its end.');
  }
}

/** The JSON in a body. A request without a body needs no Content-Type and means an empty object. */
export function parseJson(bytes: Buffer, contentType: string): unknown {
  if (bytes.length === 0) return {};
  if (!/^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw new HttpError(415, 'unsupported_media_type', 'The body must be application/json.');
  }
  const text = bytes.toString('utf8');
  if (depthOf(text) > depthMax) throw new HttpError(400, 'invalid_request', `The body may be nested ${depthMax} deep.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError(400, 'invalid_json', 'The body is not JSON.');
  }
  if (suspicious.test(text) && holdsUnwritable(value))
    throw new HttpError(400, 'invalid_json', 'The body holds what is no character.');
  return value;
}

/** Deeper than anything that we ask for, and far from what exhausts those who walk through it. */
const depthMax = 32;

/** How deep lists and objects stand in each other. */
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

/** The escapes that may stand for NUL or for half a character: PostgreSQL keeps neither. Most bodies have none. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

function holdsUnwritable(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (Array.isArray(value)) return value.some(holdsUnwritable);
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).some(holdsUnwritable) || Object.values(value).some(holdsUnwritable);
}

/** The text fields of an HTML form in a body, as pages (urlencoded) and mail programs (also multipart) post them. */
export async function parseForm(bytes: Buffer, contentType: string): Promise<Record<string, string>> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
    return Object.fromEntries([...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  } catch {
    throw new HttpError(400, 'invalid_request', 'The body is not a form.');
  }
}

export function isForm(contentType: string): boolean {
  return /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(contentType);
}

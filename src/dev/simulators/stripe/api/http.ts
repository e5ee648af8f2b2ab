import type { IncomingMessage, ServerResponse } from 'node:http';

/** One HTTP request, and where its response goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

const bodyBytesMax = 1024 * 1024;

export function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const [path = '/', ...query] = (request.url ?? '/').split('?');
  return { request, response, method: request.method ?? 'GET', path, query: query.join('?') };
}

/** The whole body as text; a larger one than a megabyte cuts the connection. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > bodyBytesMax) throw new Error('request body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, status, JSON.stringify(value), { 'content-type': 'application/json' });
}

export function sendHtml(response: ServerResponse, status: number, html: string): void {
  send(response, status, html, {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src * data:",
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
  });
}

/** 303: continue at another URL after a form. */
export function redirect(response: ServerResponse, location: string): void {
  send(response, 303, '', { location });
}

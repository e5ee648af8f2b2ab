import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { correlate } from '#src/lib/correlation.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import type { Services } from '#src/services.ts';
import { HttpError } from './http-error.ts';
import { arrivalMs } from './read-request.ts';
import { renderError } from './render-reply.ts';

/** Only a streamed file may take as long as that: other bodies have `arrivalMs`, whether they are read or not. */
const defaults = { requestTimeout: minutes(15), headersTimeout: seconds(10), keepAliveTimeout: seconds(75) };

/**
 * A server whose own errors, for what never reaches the listener as a request, have the one envelope, too, and are
 * logged and counted as other requests are.
 */
export function createHttpServer(
  { log, metrics }: Pick<Services, 'log' | 'metrics'>,
  listener: RequestListener,
  { unreadBodyMs = arrivalMs, ...options }: ServerOptions & { readonly unreadBodyMs?: number } = {},
): Server {
  function render(error: HttpError, method = 'none'): RenderedError {
    const requestId = newId('req');
    const { status, headers, body } = renderError(error, requestId);
    metrics.requestHandled({ method, route: 'none', status }, 0);
    correlate({ requestId }, () => log.info({ method, route: 'none', status }, 'request'));
    const more = { 'x-request-id': requestId, 'x-content-type-options': 'nosniff', connection: 'close' };
    return { status, headers: { ...headers, ...more, 'content-length': Buffer.byteLength(body) }, body };
  }

  const responses = new WeakMap<Duplex, ServerResponse>();
  const server = createServer({ ...defaults, ...options, requireHostHeader: false }, (request, response) => {
    const { headers, socket } = request;
    const { host } = headers;
    responses.set(socket, response);
    response.once('finish', () => closeWithin(unreadBodyMs, request, socket));
    if (host === undefined && request.httpVersion === '1.1') {
      reject(response, render(malformed('The Host header is missing.'), request.method));
    } else listener(request, response);
  });
  server.on('checkExpectation', ({ method }: IncomingMessage, response: ServerResponse) => {
    const error = new HttpError(417, 'expectation_failed', 'Only `Expect: 100-continue` is supported.');
    reject(response, render(error, method));
  });
  server.on('connect', ({ method }: IncomingMessage, socket: Duplex) => {
    socket.end(textOf(render(new HttpError(405, 'method_not_allowed', 'CONNECT is not supported.'), method)));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A second response in the middle of the first would break both.
    const isResponding = responses.get(socket)?.headersSent && !responses.get(socket)?.writableFinished;
    if (isResponding || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else socket.end(textOf(render(errorOf(error))), () => socket.destroy());
  });
  return server;
}

/**
 * Close the connection of a request that was responded to, if its body has not arrived by then. A request that was read
 * in part has lost its connection, so that is given.
 */
function closeWithin(milliseconds: number, request: IncomingMessage, socket: Socket): void {
  if (request.complete || socket.destroyed) return;
  const end = () => {
    clearTimeout(timer);
    socket.off('close', end);
  };
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  request.once('close', end);
  socket.once('close', end);
}

/** What an error of Node's parser means to the client. */
function errorOf({ code }: NodeJS.ErrnoException): HttpError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HttpError(431, 'headers_too_large', 'The URL and the headers are too large.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new HttpError(413, 'payload_too_large', 'The extensions of a chunk are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpError(408, 'request_timeout', 'The request took too long to arrive.');
    default:
      return malformed('The request is not valid HTTP.');
  }
}

const malformed = (detail: string) => new HttpError(400, 'invalid_request', detail);

interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

function reject(response: ServerResponse, { status, headers, body }: RenderedError): void {
  response.writeHead(status, headers).end(body);
}

/** The response as bytes of HTTP, for a connection that has no request. */
function textOf({ status, headers, body }: RenderedError): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

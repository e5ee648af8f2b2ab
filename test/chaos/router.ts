import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { until } from '#test/support/until.ts';

/**
 * A router before web processes: it sends each request once, to a process that is ready. Where that has closed its port,
 * which a router on a busy machine may not have noticed, it sends the request to another.
 */
export interface Router {
  readonly url: string;
  /** Requests without a response, or with a 5xx. */
  readonly failures: readonly string[];
  /** When connections were refused or closed without a response, by `performance.now()`, by URL. */
  readonly closed: ReadonlyMap<string, number>;
  /** How many responses each URL has sent. */
  readonly responses: ReadonlyMap<string, number>;
  /** Resolves once the process is ready, and gets requests. */
  add(url: string): Promise<void>;
  close(): Promise<void>;
}

/** @param pollIntervalMs how often it asks each process whether it is ready */
export async function startRouter(first: string, { pollIntervalMs = 100 } = {}): Promise<Router> {
  const urls = [first];
  const ready = new Set(urls);
  const responses = new Map<string, number>();
  const failures: string[] = [];
  const closed = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });
  let next = 0;

  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const failed = (url: string | undefined, why: string) => {
      failures.push(`${incoming.method} ${incoming.url} at ${url}: ${why}`);
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end('{"error":"no response"}');
    };
    const candidates = urls.filter((url) => ready.has(url));
    const first = candidates[(next += 1) % Math.max(candidates.length, 1)];
    for (const url of [first, ...candidates.filter((url) => url !== first)]) {
      if (!url) break;
      try {
        const status = await forward(incoming, body, outgoing, url);
        responses.set(url, (responses.get(url) ?? 0) + 1);
        if (status >= 500) failures.push(`${incoming.method} ${incoming.url} at ${url}: ${status}`);
        return;
      } catch (error) {
        if (!(error instanceof ClosedPort)) return failed(url, String(error));
        if (!closed.has(url)) closed.set(url, performance.now());
      }
    }
    failed(first, 'no process is ready');
  });

  function forward(
    { url: path = '', method, headers }: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    url: string,
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      const onward = request(new URL(path, url), { method, headers, agent }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing).on('finish', () => resolve(reply.statusCode ?? 502));
        reply.on('error', reject);
      });
      onward.on('error', (error: NodeJS.ErrnoException) => {
        // A connection that was open before may have been closed just when the request was sent.
        const isClosed = error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && onward.reusedSocket);
        reject(isClosed && !outgoing.headersSent ? new ClosedPort() : error);
      });
      onward.end(body);
    });
  }

  const check = (url: string) =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => (ok ? ready.add(url) : ready.delete(url)),
      () => ready.delete(url),
    );
  const polling = setInterval(() => void urls.map(check), pollIntervalMs);

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    failures,
    closed,
    responses,
    async add(url) {
      urls.push(url);
      await until(() => check(url).then(() => ready.has(url)), { what: `${url} to be ready` });
    },
    async close() {
      clearInterval(polling);
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The process does not take requests any more, and has not taken this one. */
class ClosedPort extends Error {}

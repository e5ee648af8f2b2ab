import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const pollIntervalMs = 100;

/** A router before web processes: it sends each request once, to a process that is ready. */
export interface Router {
  readonly url: string;
  /** Requests without a response, or with a 5xx. */
  readonly failures: readonly string[];
  /** How many responses each URL has sent. */
  readonly responses: ReadonlyMap<string, number>;
  add(url: string): void;
  close(): Promise<void>;
}

export async function startRouter(first: string): Promise<Router> {
  const urls = [first];
  const ready = new Set(urls);
  const responses = new Map<string, number>();
  const failures: string[] = [];
  const agent = new Agent({ keepAlive: true });
  let next = 0;

  const server = createServer((incoming, outgoing) => {
    const candidates = urls.filter((url) => ready.has(url));
    const url = candidates[(next += 1) % Math.max(candidates.length, 1)];
    const failed = (why: string) => {
      failures.push(`${incoming.method} ${incoming.url} at ${url}: ${why}`);
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end('{"error":"no response"}');
    };
    if (!url) return failed('no process is ready');
    forward(incoming, outgoing, url).then(
      (status) => {
        responses.set(url, (responses.get(url) ?? 0) + 1);
        if (status >= 500) failures.push(`${incoming.method} ${incoming.url} at ${url}: ${status}`);
      },
      (error: Error) => failed(error.message),
    );
  });

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, url: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const onward = request(
        new URL(incoming.url ?? '/', url),
        { method: incoming.method, headers: incoming.headers, agent },
        (reply) => {
          outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
          reply.pipe(outgoing).on('finish', () => resolve(reply.statusCode ?? 502));
          reply.on('error', reject);
        },
      );
      incoming.pipe(onward).on('error', reject);
    });
  }

  const polling = setInterval(() => {
    for (const url of urls) {
      fetch(`${url}/readyz`).then(
        ({ ok }) => (ok ? ready.add(url) : ready.delete(url)),
        () => ready.delete(url),
      );
    }
  }, pollIntervalMs);

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    failures,
    responses,
    add: (url) => void urls.push(url),
    async close() {
      clearInterval(polling);
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

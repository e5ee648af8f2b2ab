import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const pollIntervalMs = 100;

/** What stands before web processes: it sends each request to one that says it is ready, and never asks twice. */
export interface Router {
  readonly url: string;
  /** Requests that a process did not answer, or answered with an error of its own. */
  readonly failures: readonly string[];
  /** How many requests each address has answered. */
  readonly answered: ReadonlyMap<string, number>;
  add(address: string): void;
  close(): Promise<void>;
}

export async function startRouter(first: string): Promise<Router> {
  const addresses = [first];
  const ready = new Set(addresses);
  const answered = new Map<string, number>();
  const failures: string[] = [];
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  const server = createServer((asked, answer) => {
    const candidates = addresses.filter((address) => ready.has(address));
    const address = candidates[(turn += 1) % Math.max(candidates.length, 1)];
    const failed = (why: string) => {
      failures.push(`${asked.method} ${asked.url} at ${address}: ${why}`);
      if (!answer.headersSent) answer.writeHead(502);
      answer.end('{"error":"nobody answered"}');
    };
    if (!address) return failed('no process is ready');
    forward(asked, answer, address).then(
      (status) => {
        answered.set(address, (answered.get(address) ?? 0) + 1);
        if (status >= 500) failures.push(`${asked.method} ${asked.url} at ${address}: ${status}`);
      },
      (error: Error) => failed(error.message),
    );
  });

  function forward(asked: IncomingMessage, answer: ServerResponse, address: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const onward = request(
        new URL(asked.url ?? '/', address),
        { method: asked.method, headers: asked.headers, agent },
        (reply) => {
          answer.writeHead(reply.statusCode ?? 502, reply.headers);
          reply.pipe(answer).on('finish', () => resolve(reply.statusCode ?? 502));
          reply.on('error', reject);
        },
      );
      asked.pipe(onward).on('error', reject);
    });
  }

  const looking = setInterval(() => {
    for (const address of addresses) {
      fetch(`${address}/readyz`).then(
        ({ ok }) => (ok ? ready.add(address) : ready.delete(address)),
        () => ready.delete(address),
      );
    }
  }, pollIntervalMs);

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    failures,
    answered,
    add: (address) => void addresses.push(address),
    async close() {
      clearInterval(looking);
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

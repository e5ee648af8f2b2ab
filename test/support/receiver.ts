import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { Webhook } from 'standardwebhooks';

import { until } from './until.ts';

/** A request as it came, and what is in it. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: any;
  readonly at: number;
}

/** What a receiver does with a request: send this response, or hang until it is released. */
export type Behaviour = 'hang' | 'reset' | { status: number; headers?: Record<string, string>; body?: string };

/** An integrator's system on a free port: it records requests and responds as set. */
export interface Receiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** The most requests that were open at one time. */
  readonly mostAtOnce: number;
  readonly waiting: number;
  /** Set the response to every further request, or a function of it. */
  behave(behaviour: Behaviour | ((request: ReceivedRequest, number: number) => Behaviour)): void;
  /** Respond to all requests that hang. */
  release(status?: number): void;
  /** Resolves once so many requests have come in all. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const hanging = new Set<ServerResponse>();
  let behaviour: (request: ReceivedRequest, number: number) => Behaviour = () => ({ status: 204 });
  let open = 0;
  let mostAtOnce = 0;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    open += 1;
    mostAtOnce = Math.max(mostAtOnce, open);
    response.once('close', () => {
      open -= 1;
      hanging.delete(response);
    });
    const raw = await text(request);
    const received = { path: request.url ?? '', headers: request.headers, raw, body: parse(raw), at: Date.now() };
    requests.push(received);
    const reply = behaviour(received, requests.length);
    if (reply === 'hang') return void hanging.add(response);
    if (reply === 'reset') return void request.socket.destroy();
    response.writeHead(reply.status, reply.headers).end(reply.body);
  }

  const server = createServer((request, response) => void take(request, response));
  server.keepAliveTimeout = 20_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    requests,
    get mostAtOnce() {
      return mostAtOnce;
    },
    get waiting() {
      return hanging.size;
    },
    behave(given) {
      behaviour = typeof given === 'function' ? given : () => given;
    },
    release(status = 204) {
      for (const response of hanging) response.writeHead(status).end();
      hanging.clear();
    },
    async received(count) {
      await until(() => requests.length >= count, { what: `${count} requests` });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Whether the public Standard Webhooks library finds this request signed with the secret. */
export function isSignedWith(secret: string, { raw, headers }: ReceivedRequest): boolean {
  try {
    new Webhook(secret).verify(raw, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

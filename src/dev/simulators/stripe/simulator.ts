import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { type Listening, listen } from '#src/dev/listen.ts';
import { exchangeOf } from './api/http.ts';
import { serveApi } from './api/serve-api.ts';
import { expireDueSessions } from './checkout/end-session.ts';
import { serveControl } from './control/routes.ts';
import { servePages } from './pages/serve-pages.ts';
import { SimulatorState } from './simulator-state.ts';

export interface StripeSimulatorOptions {
  /** The current time in epoch milliseconds. */
  readonly now?: () => number;
  /** The same seed repeats the same ids and random faults; the default is a random one. */
  readonly seed?: number;
}

const expiryIntervalMs = 250;

/** Start a simulated Stripe: API under /v1, hosted pages, control under /_control; all in memory. */
export async function startStripeSimulator(options: StripeSimulatorOptions = {}): Promise<Listening> {
  const simulator = new SimulatorState({
    now: options.now ?? Date.now,
    seed: options.seed ?? randomInt(2 ** 31),
  });
  const server = createServer((request, response) => {
    serve(simulator, request, response).catch(() => response.destroy());
  });
  const listening = await listen(server);
  simulator.url = listening.url;
  const expiry = setInterval(() => simulator.accounts().forEach(expireDueSessions), expiryIntervalMs);

  return {
    url: simulator.url,
    async close() {
      clearInterval(expiry);
      await simulator.webhooks.close();
      await listening.close();
    },
  };
}

async function serve(simulator: SimulatorState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const exchange = exchangeOf(request, response);
  response.setHeader('date', new Date(simulator.now()).toUTCString());
  if (exchange.path.startsWith('/v1/')) return serveApi(simulator, exchange);
  if (exchange.path.startsWith('/_control/')) return serveControl(simulator, exchange);
  return servePages(simulator, exchange);
}

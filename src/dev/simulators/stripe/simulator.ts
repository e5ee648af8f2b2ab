import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { listen } from '../listen.ts';
import { exchangeOf } from './api/http.ts';
import { serveApi } from './api/serve-api.ts';
import { expireDueSessions } from './checkout/end-session.ts';
import { serveControl } from './control/routes.ts';
import { servePages } from './pages/serve-pages.ts';
import { SimulatorState } from './simulator-state.ts';

export interface StripeSimulatorOptions {
  /** The default, 0, is a free one. */
  readonly port?: number;
  readonly host?: string;
  /** The current time in epoch milliseconds. */
  readonly now?: () => number;
  readonly log?: (line: string) => void;
  /** The same seed repeats the same ids and random faults; the default is a random one. */
  readonly seed?: number;
  /** How long search lags behind changes. */
  readonly searchLagSeconds?: number;
}

export interface StripeSimulator {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const expiryIntervalMs = 250;

/** Start a simulated Stripe: API under /v1, hosted pages, control under /_control; all in memory. */
export async function startStripeSimulator(options: StripeSimulatorOptions = {}): Promise<StripeSimulator> {
  const { host = '127.0.0.1', log = () => {}, seed = randomInt(2 ** 31) } = options;
  const simulator = new SimulatorState({
    now: options.now ?? Date.now,
    log,
    seed,
    searchLagSeconds: options.searchLagSeconds ?? 60,
  });
  const server = createServer((request, response) => {
    serve(simulator, request, response).catch((error: unknown) => {
      log(`stripe simulator: ${request.method} ${request.url}: ${error instanceof Error ? error.stack : error}`);
      response.destroy();
    });
  });
  const port = await listen(server, options.port ?? 0, host);
  simulator.url = `http://${host}:${port}`;
  log(`stripe simulator on ${simulator.url}, seed ${seed}`);
  const expiry = setInterval(() => simulator.accounts().forEach(expireDueSessions), expiryIntervalMs);

  return {
    url: simulator.url,
    port,
    async close() {
      clearInterval(expiry);
      await simulator.webhooks.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
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

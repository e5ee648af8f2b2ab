import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import Koa from 'koa';

import { listen } from '../listen.ts';
import { seededNumbers } from '../random.ts';
import { apiRoutes, type RequestState, receiveRequests } from './api.ts';
import { controlRoutes } from './control-routes.ts';
import { createFaultList } from './faults.ts';
import { labelPdf } from './label-pdf.ts';
import { createPendingWork } from './pending-work.ts';
import { defaultDeliveries, idFor, type SimulatorState } from './state.ts';

export interface ShippoSimulatorOptions {
  /** The default is a free one. */
  port?: number;
  host?: string;
  now?: () => Date;
  log?: { info(fields: object, message: string): void };
  /** The same seed repeats the same ids and random faults. */
  seed?: number;
}

export interface ShippoSimulator {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Start a simulated Shippo with the API that a store needs, for the unchanged SDK. */
export async function startShippoSimulator(options: ShippoSimulatorOptions = {}): Promise<ShippoSimulator> {
  const server = createServer();
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, options.port ?? 0, host);
  const simulator = createSimulatorState(`http://${host}:${port}`, options);
  server.on('request', createApp(simulator, options.log).callback());
  return {
    url: simulator.url,
    port,
    close() {
      simulator.pending.cancel();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function createSimulatorState(
  url: string,
  { now = () => new Date(), seed = randomInt(2 ** 32) }: ShippoSimulatorOptions,
): SimulatorState {
  let random = seededNumbers(seed);
  let idCount = 0;
  const nextRandom = () => random();
  return {
    url,
    now,
    // Never restarts, not even after a reset, so that ids stay unique.
    newId: () => idFor(`${seed} ${(idCount += 1)}`),
    random: nextRandom,
    reseed(seed) {
      random = seededNumbers(seed);
    },
    accounts: new Map(),
    faults: createFaultList(nextRandom),
    requests: [],
    deliveries: { ...defaultDeliveries },
    heldBack: new Map(),
    pending: createPendingWork(),
  };
}

function createApp(simulator: SimulatorState, log: ShippoSimulatorOptions['log']): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use(receiveRequests(simulator));
  app.use(async (ctx, next) => {
    const id = ctx.path.match(/^\/labels\/(\w+)\.pdf$/)?.[1];
    if (id === undefined) return next();
    const pdf = [...simulator.accounts.values()].map((account) => labelPdf(account, id)).find(Boolean);
    if (!pdf) return;
    ctx.type = 'application/pdf';
    ctx.body = pdf;
  });
  app.use(controlRoutes(simulator).routes());
  app.use(apiRoutes(simulator).routes());
  app.use((ctx) => {
    log?.info({ method: ctx.method, path: ctx.path }, 'shippo simulator: unknown route');
  });
  return app;
}

import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';

import Koa from 'koa';

import { apiRoutes, type RequestState, receiveRequests } from './api.ts';
import { controlRoutes } from './control-routes.ts';
import { createFaultList } from './faults.ts';
import { labelPdf } from './label-pdf.ts';
import { createPendingWork } from './pending.ts';
import { idFor, seededRandom } from './random.ts';
import { deliveriesAsUsual, type SimulatorState } from './world.ts';

export interface ShippoSimulatorOptions {
  /** A free one unless told. */
  port?: number;
  host?: string;
  now?: () => Date;
  log?: { info(fields: object, message: string): void };
  /** Makes ids and chances repeatable. */
  seed?: number;
}

export interface ShippoSimulator {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Shippo on this machine, as far as a shop needs it, for the SDK as it is. */
export async function startShippoSimulator(options: ShippoSimulatorOptions = {}): Promise<ShippoSimulator> {
  const server = createServer();
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, options.port ?? 0, host);
  const world = createSimulatorState(`http://${host}:${port}`, options);
  server.on('request', createApp(world, options.log).callback());
  return {
    url: world.url,
    port,
    close() {
      world.pending.cancel();
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
  let random = seededRandom(seed);
  let idCount = 0;
  const nextRandom = () => random();
  return {
    url,
    now,
    // Never begins again, not even after a reset: nobody shall meet one id twice.
    newId: () => idFor(`${seed} ${(idCount += 1)}`),
    random: nextRandom,
    reseed(seed) {
      random = seededRandom(seed);
    },
    accounts: new Map(),
    faults: createFaultList(nextRandom),
    requests: [],
    deliveries: { ...deliveriesAsUsual },
    heldBack: new Map(),
    pending: createPendingWork(),
  };
}

function createApp(world: SimulatorState, log: ShippoSimulatorOptions['log']): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use(receiveRequests(world));
  app.use(async (ctx, next) => {
    const id = ctx.path.match(/^\/labels\/(\w+)\.pdf$/)?.[1];
    if (id === undefined) return next();
    const pdf = [...world.accounts.values()].map((account) => labelPdf(account, id)).find(Boolean);
    if (!pdf) return;
    ctx.type = 'application/pdf';
    ctx.body = pdf;
  });
  app.use(controlRoutes(world).routes());
  app.use(apiRoutes(world).routes());
  app.use((ctx) => {
    log?.info({ method: ctx.method, path: ctx.path }, 'shippo simulator was asked for what it does not know');
  });
  return app;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import Koa from 'koa';

import { type Listening, listen } from '#src/dev/listen.ts';
import { Faults } from '../faults.ts';
import { seededNumbers } from '../random.ts';
import { apiRoutes, type RequestState, receiveRequests } from './api.ts';
import { controlRoutes } from './control-routes.ts';
import { labelPdf } from './label-pdf.ts';
import { createPendingWork } from './pending-work.ts';
import { defaultDeliveries, idFor, type SimulatorState } from './state.ts';

export interface ShippoSimulatorOptions {
  now?: () => Date;
  /** The same seed repeats the same ids and random faults. */
  seed?: number;
}

/** Start a simulated Shippo with the API that a store needs, for the unchanged SDK. */
export async function startShippoSimulator(options: ShippoSimulatorOptions = {}): Promise<Listening> {
  const server = createServer();
  const listening = await listen(server);
  const simulator = createSimulatorState(listening.url, options);
  server.on('request', createApp(simulator).callback());
  return {
    url: simulator.url,
    close() {
      simulator.pending.cancel();
      return listening.close();
    },
  };
}

function createSimulatorState(
  url: string,
  { now = () => new Date(), seed = randomInt(2 ** 32) }: ShippoSimulatorOptions,
): SimulatorState {
  let random = seededNumbers(seed);
  let idCount = 0;
  return {
    url,
    now,
    // Never restarts, not even after a reset, so that ids stay unique.
    newId: () => idFor(`${seed} ${(idCount += 1)}`),
    random: () => random(),
    reseed(seed) {
      random = seededNumbers(seed);
    },
    accounts: new Map(),
    faults: new Faults(),
    requests: [],
    deliveries: { ...defaultDeliveries },
    heldBack: new Map(),
    pending: createPendingWork(),
  };
}

function createApp(simulator: SimulatorState): Koa<RequestState> {
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
  return app;
}

import Router, { type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import getRawBody from 'raw-body';

import { meets } from '../faults.ts';
import { authenticate } from './accounts.ts';
import { carrierAccountEndpoints } from './carriers.ts';
import type { Call, Endpoint, EndpointResponse } from './endpoint.ts';
import { ShippoError } from './error.ts';
import { applyFault, isBeforeEffect, withoutResults, withUnknownStatus } from './faults.ts';
import { transactionEndpoints } from './labels.ts';
import { refundEndpoints } from './refunds.ts';
import { shipmentEndpoints } from './shipments.ts';
import type { RequestRecord, SimulatorState } from './state.ts';
import { trackEndpoints } from './tracking.ts';

/** What the middleware of one request shares. */
export interface RequestState {
  body: unknown;
  record: RequestRecord;
}

const endpoints: Endpoint[] = [
  ...shipmentEndpoints,
  ...transactionEndpoints,
  ...refundEndpoints,
  ...trackEndpoints,
  ...carrierAccountEndpoints,
];

const bodyLimit = '1mb';
const requestsStoredMax = 20_000;

/** Shippo's API: authenticate, apply a fault, call the endpoint. */
export function apiRoutes(simulator: SimulatorState): Router<RequestState> {
  const router = new Router<RequestState>();
  for (const endpoint of endpoints) {
    router[endpoint.method](endpoint.path, async (ctx) => {
      const account = authenticate(simulator, ctx.get('authorization'));
      ctx.state.record.account = account.token;
      const fault = simulator.faults.take(meets(`${ctx.method} ${ctx.path}`, account.token, simulator.random));
      ctx.state.record.fault = fault ?? null;
      const { params, state } = ctx;
      const url = new URL(ctx.originalUrl, simulator.url);
      await respond(ctx, endpoint, { simulator, account, params, url, body: state.body, fault });
    });
  }
  return router;
}

async function respond(ctx: RouterContext<RequestState>, endpoint: Endpoint, call: Call): Promise<void> {
  const { fault } = call;
  if (fault && isBeforeEffect(fault) && (await applyFault(ctx, fault)) === 'responded') return;
  const { status, body } = execute(endpoint, call);
  // Rendered at once: a delayed response has the state of when it was made.
  const text = JSON.stringify(distorted(body, fault));
  if (fault && !isBeforeEffect(fault) && (await applyFault(ctx, fault)) === 'responded') return;
  ctx.status = status;
  ctx.type = 'application/json';
  ctx.body = text;
}

/** The response as the fault changes it. */
function distorted(body: unknown, fault: Call['fault']): unknown {
  if (fault?.kind === 'unknown_enum') return withUnknownStatus(body);
  return fault?.kind === 'unlisted' ? withoutResults(body) : body;
}

function execute(endpoint: Endpoint, call: Call): EndpointResponse {
  try {
    return endpoint.handle(call);
  } catch (error) {
    if (error instanceof ShippoError) return error;
    throw error;
  }
}

/** Read the body, record the request, and render errors in Shippo's format. */
export function receiveRequests(simulator: SimulatorState): Middleware<RequestState> {
  return async (ctx, next) => {
    const record: RequestRecord = {
      at: simulator.now().toISOString(),
      method: ctx.method,
      path: ctx.path,
      query: Object.fromEntries(new URLSearchParams(ctx.querystring)),
      account: null,
      body: undefined,
      status: null,
      fault: null,
    };
    ctx.state.record = record;
    try {
      ctx.state.body = record.body = parse(await getRawBody(ctx.req, { limit: bodyLimit, encoding: true }));
      if (!ctx.path.startsWith('/_control')) simulator.requests.push(record);
      if (simulator.requests.length > requestsStoredMax) simulator.requests.shift();
      await next();
      if (ctx.status === 404 && ctx.body == null) throw new ShippoError(404, { detail: 'Not found.' });
    } catch (error) {
      if (!(error instanceof ShippoError)) throw error;
      ctx.status = error.status;
      ctx.body = error.body;
    } finally {
      if (ctx.respond !== false) record.status = ctx.status;
    }
  };
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ShippoError(400, { detail: 'JSON parse error.' });
  }
}

import Router, { type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import getRawBody from 'raw-body';

import { authenticate } from './accounts.ts';
import type { Answer, Call, Endpoint } from './endpoint.ts';
import { addressEndpoints } from './endpoints/addresses.ts';
import { carrierAccountEndpoints } from './endpoints/carrier-accounts.ts';
import { parcelEndpoints } from './endpoints/parcels.ts';
import { rateEndpoints } from './endpoints/rates.ts';
import { refundEndpoints } from './endpoints/refunds.ts';
import { shipmentEndpoints } from './endpoints/shipments.ts';
import { trackEndpoints } from './endpoints/tracks.ts';
import { transactionEndpoints } from './endpoints/transactions.ts';
import { webhookEndpoints } from './endpoints/webhooks.ts';
import { misbehave, misbehavesEarly, strayFromEnum, withoutResults } from './misbehave.ts';
import { RejectionKind } from './refusal.ts';
import type { RequestRecord, SimulatorState } from './world.ts';

/** What the middleware of one request hands to the next. */
export interface RequestState {
  body: unknown;
  record: RequestRecord;
}

const endpoints: Endpoint[] = [
  ...addressEndpoints,
  ...parcelEndpoints,
  ...shipmentEndpoints,
  ...rateEndpoints,
  ...transactionEndpoints,
  ...refundEndpoints,
  ...trackEndpoints,
  ...carrierAccountEndpoints,
  ...webhookEndpoints,
];

const bodyLimit = '1mb';
const requestsStoredMax = 20_000;

/** Shippo's API: who asks, which fault strikes, what the endpoint answers. */
export function apiRoutes(world: SimulatorState): Router<RequestState> {
  const router = new Router<RequestState>();
  for (const endpoint of endpoints) {
    router[endpoint.method](endpoint.path, async (ctx) => {
      const account = authenticate(world, ctx.get('authorization'));
      ctx.state.record.account = account.token;
      const fault = world.faults.strike({ method: ctx.method, path: ctx.path, account: account.token });
      ctx.state.record.fault = fault ?? null;
      const { params, state } = ctx;
      const address = new URL(ctx.originalUrl, world.url);
      await answer(ctx, endpoint, { world, account, params, address, body: state.body, fault });
    });
  }
  return router;
}

async function answer(ctx: RouterContext<RequestState>, endpoint: Endpoint, call: Call): Promise<void> {
  const { fault } = call;
  if (fault && misbehavesEarly(fault) && (await misbehave(ctx, fault)) === 'answered') return;
  const { status, body } = settled(endpoint, call);
  // Written down at once: a reply that is delayed tells what was true when it was made.
  const text = body === undefined ? '' : JSON.stringify(distorted(body, fault));
  if (fault && !misbehavesEarly(fault) && (await misbehave(ctx, fault)) === 'answered') return;
  ctx.status = status;
  if (text === '') return;
  ctx.type = 'application/json';
  ctx.body = text;
}

/** What the fault makes of an answer. */
function distorted(body: unknown, fault: Call['fault']): unknown {
  if (fault?.kind === 'unknown_enum') return strayFromEnum(body);
  return fault?.kind === 'unlisted' ? withoutResults(body) : body;
}

function settled(endpoint: Endpoint, call: Call): Answer {
  try {
    return endpoint.handle(call);
  } catch (error) {
    if (error instanceof RejectionKind) return error;
    throw error;
  }
}

/** Read the body, keep a record of the request, and put refusals into Shippo's words. */
export function receiveRequests(world: SimulatorState): Middleware<RequestState> {
  return async (ctx, next) => {
    const record: RequestRecord = {
      at: world.now().toISOString(),
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
      if (!ctx.path.startsWith('/_control')) world.requests.push(record);
      if (world.requests.length > requestsStoredMax) world.requests.shift();
      await next();
      if (ctx.status === 404 && ctx.body == null) throw new RejectionKind(404, { detail: 'Not found.' });
    } catch (error) {
      if (!(error instanceof RejectionKind)) throw error;
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
    throw new RejectionKind(400, { detail: 'JSON parse error.' });
  }
}

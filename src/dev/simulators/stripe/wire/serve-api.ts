import type { ServerResponse } from 'node:http';

import { apiVersion } from '../account.ts';
import type { SimulatorState } from '../world.ts';
import { errorResponse, respondToCall, respondWithoutWork, type SharedOptions } from './answer-call.ts';
import { authenticate } from './authenticate.ts';
import { faultResponse } from './fault-answer.ts';
import type { Fault } from './faults.ts';
import { parseForm } from './form.ts';
import { type Exchange, readBody, send } from './http.ts';
import type { Answer } from './idempotency.ts';
import { RejectionKind } from './refusal.ts';
import type { LoggedRequest } from './request-log.ts';

const loggedHeaders = ['x-request-id', 'user-agent', 'stripe-version', 'stripe-account', 'traceparent'];

/** Serve one request under /v1, as Stripe would, or as a fault says. */
export async function serveApi(world: SimulatorState, exchange: Exchange): Promise<void> {
  const { request, response, method, query } = exchange;
  const text = method === 'POST' ? await readBody(request) : query;
  const entry = logEntry(world, exchange, text);
  try {
    const account = authenticate(world, request.headers);
    entry.account = account.key;
    const key = method === 'POST' ? request.headers['idempotency-key'] : undefined;
    const shared = { world, account, exchange, text, entry, key: typeof key === 'string' ? key : undefined };
    const fault = world.faults.take(`${method} ${exchange.path}`, account.key);
    entry.fault = fault?.kind ?? null;
    reply(shared, await serveUnder(fault, shared));
  } catch (error) {
    if (!(error instanceof RejectionKind)) throw error;
    entry.status = error.status;
    write(response, errorResponse(error, entry.id));
  }
}

/** The answer under a fault; null when there is to be none. */
async function serveUnder(fault: Fault | undefined, shared: SharedOptions): Promise<Answer | null> {
  const { response } = shared.exchange;
  if (!fault) return respondToCall(shared);
  if (fault.kind === 'delay') return respondToCall(shared, fault.ms ?? 0);
  const before = fault.kind === 'reset_before' || (fault.kind !== 'reset_after' && !fault.after);
  if (fault.kind === 'status') {
    const broken = faultResponse(fault, shared.entry.id);
    if (before) return broken.status === 500 ? respondWithoutWork(shared, broken) : broken;
    await respondToCall(shared, 0, broken.status === 500 ? broken : undefined);
    return broken;
  }
  if (!before) await respondToCall(shared);
  if (fault.kind === 'hang') await untilGone(response);
  else response.destroy();
  return null;
}

function reply({ entry, exchange: { response }, key }: SharedOptions, given: Answer | null): void {
  if (!given) return;
  entry.status = given.status;
  write(response, key === undefined ? given : { ...given, headers: { ...given.headers, 'idempotency-key': key } });
}

function write(response: ServerResponse, { status, body, headers, requestId }: Answer): void {
  send(response, status, body, {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': apiVersion,
    ...headers,
  });
}

function logEntry(world: SimulatorState, { request, method, path }: Exchange, text: string): LoggedRequest {
  const headers = loggedHeaders.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const key = request.headers['idempotency-key'];
  return world.requests.add({
    id: `req_${world.random.token(14)}`,
    method,
    path,
    params: parsed(text),
    idempotency_key: typeof key === 'string' ? key : null,
    headers: Object.fromEntries(headers),
    account: null,
    status: null,
    fault: null,
    replayed: false,
  });
}

function parsed(text: string): object {
  try {
    return parseForm(text);
  } catch {
    return {};
  }
}

function untilGone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', () => resolve());
  });
}

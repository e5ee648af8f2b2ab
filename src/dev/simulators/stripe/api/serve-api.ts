import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

import { meets } from '../../faults.ts';
import type { SimulatorState } from '../simulator-state.ts';
import { type Account, apiVersion } from '../state/account.ts';
import type { StoredResponse } from '../state/idempotency-keys.ts';
import { StripeError } from './error.ts';
import { type Fault, faultResponse } from './faults.ts';
import { parseForm } from './form.ts';
import { type Exchange, readBody, send } from './http.ts';
import type { LoggedRequest } from './request-log.ts';
import { type AuthenticatedCall, errorResponse, respondToCall, respondWithoutExecuting } from './serve-call.ts';

const loggedHeaders = ['x-request-id', 'user-agent', 'stripe-version', 'stripe-account', 'traceparent'];

/** Serve one request under /v1, as Stripe would, or as a fault says. */
export async function serveApi(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const { request, response, method, query } = exchange;
  const text = method === 'POST' ? await readBody(request) : query;
  const entry = logEntry(simulator, exchange, text);
  try {
    const account = authenticate(simulator, request.headers);
    entry.account = account.key;
    const key = method === 'POST' ? request.headers['idempotency-key'] : undefined;
    const call = { simulator, account, exchange, text, entry, key: typeof key === 'string' ? key : undefined };
    const fault = simulator.faults.take(meets(`${method} ${exchange.path}`, account.key, simulator.faultRandom.next));
    entry.fault = fault?.kind ?? null;
    reply(call, await serveUnder(fault, call));
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
    entry.status = error.status;
    write(response, errorResponse(error, entry.id));
  }
}

/** The response under a fault; null when there is none. */
async function serveUnder(fault: Fault | undefined, call: AuthenticatedCall): Promise<StoredResponse | null> {
  const { response } = call.exchange;
  if (!fault) return respondToCall(call);
  if (fault.kind === 'delay') return respondToCall(call, fault.ms ?? 0);
  const before = fault.kind === 'reset_before' || (fault.kind !== 'reset_after' && !fault.after);
  if (fault.kind === 'status') {
    const broken = faultResponse(fault, call.entry.id);
    if (before) return broken.status === 500 ? respondWithoutExecuting(call, broken) : broken;
    await respondToCall(call, 0, broken.status === 500 ? broken : undefined);
    return broken;
  }
  if (!before) await respondToCall(call);
  if (fault.kind === 'hang') await untilGone(response);
  else response.destroy();
  return null;
}

function reply({ entry, exchange: { response }, key }: AuthenticatedCall, given: StoredResponse | null): void {
  if (!given) return;
  entry.status = given.status;
  write(response, key === undefined ? given : { ...given, headers: { ...given.headers, 'idempotency-key': key } });
}

function write(response: ServerResponse, { status, body, headers, requestId }: StoredResponse): void {
  send(response, status, body, {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': apiVersion,
    ...headers,
  });
}

function logEntry(simulator: SimulatorState, { request, method, path }: Exchange, text: string): LoggedRequest {
  const headers = loggedHeaders.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const key = request.headers['idempotency-key'];
  return simulator.requests.add({
    id: `req_${simulator.random.token(14)}`,
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

/** The account of an Authorization header; every well-formed secret key has one. */
function authenticate(simulator: SimulatorState, headers: IncomingHttpHeaders): Account {
  const key = keyOf(headers.authorization ?? '');
  if (key === '') {
    throw unauthorized(
      'You did not provide an API key. You need to provide your API key in the Authorization header, ' +
        "using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  }
  if (key.startsWith('pk_')) {
    throw unauthorized(
      'This API call cannot be made with a publishable API key. Please use a secret API key.',
      'secret_key_required',
    );
  }
  if (!/^(sk|rk)_(test|live)_\w+$/.test(key)) throw unauthorized(`Invalid API Key provided: ${masked(key)}`);
  if (key.includes('revoked')) throw unauthorized(`Expired API Key provided: ${masked(key)}`, 'api_key_expired');
  const account = simulator.account(key);
  const other = headers['stripe-account'];
  if (other !== undefined && other !== account.id) {
    throw new StripeError(
      403,
      `The provided key '${masked(key)}' does not have access to account '${String(other)}' ` +
        '(or that account does not exist). Application access may have been revoked.',
      { code: 'account_invalid' },
    );
  }
  return account;
}

function keyOf(authorization: string): string {
  const [scheme = '', credentials = ''] = authorization.split(' ');
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return '';
  return Buffer.from(credentials, 'base64').toString().split(':')[0] ?? '';
}

function masked(key: string): string {
  return `${key.slice(0, 8)}${'*'.repeat(Math.max(0, key.length - 12))}${key.slice(-4)}`;
}

function unauthorized(message: string, code?: string): StripeError {
  return new StripeError(401, message, code ? { code } : {});
}

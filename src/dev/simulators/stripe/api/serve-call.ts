import { setTimeout as sleep } from 'node:timers/promises';

import { accountOperations } from '../account-operations.ts';
import { subscriptions } from '../billing/operations.ts';
import { withFirstItems } from '../billing/subscription.ts';
import { coupons } from '../catalogue/operations.ts';
import { checkoutSessions } from '../checkout/operations.ts';
import { customers } from '../customers/operations.ts';
import { payments } from '../payments/operations.ts';
import type { SimulatorState } from '../simulator-state.ts';
import type { Account } from '../state/account.ts';
import type { StoredResponse } from '../state/idempotency-keys.ts';
import { events } from '../webhooks/operations.ts';
import { checkParameters } from './check-parameters.ts';
import { StripeError } from './error.ts';
import { expand } from './expand.ts';
import { parseForm } from './form.ts';
import type { Exchange } from './http.ts';
import type { Operation } from './operation.ts';
import type { LoggedRequest } from './request-log.ts';
import { Router } from './router.ts';

/** One authenticated request. */
export interface AuthenticatedCall {
  readonly simulator: SimulatorState;
  readonly account: Account;
  readonly exchange: Exchange;
  /** The form-encoded parameters. */
  readonly text: string;
  readonly entry: LoggedRequest;
  readonly key: string | undefined;
}

interface PreparedCall {
  readonly operation: Operation;
  readonly id: string;
  readonly params: { readonly expand?: readonly string[] };
}

/** Every operation that the simulator offers. */
const operations = [
  ...accountOperations,
  ...checkoutSessions,
  ...coupons,
  ...customers,
  ...events,
  ...payments,
  ...subscriptions,
];

const router = new Router<Operation>(operations.map((operation) => [operation.route, operation]));

/**
 * Serve a request as Stripe would, under its idempotency key if it has one. `replacement` is stored under
 * the key instead of the true response; what `prepare` rejects is not stored at all.
 */
export async function respondToCall(
  call: AuthenticatedCall,
  delayMs = 0,
  replacement?: StoredResponse,
): Promise<StoredResponse> {
  const { account, key } = call;
  const { idempotencyKeys: keys } = account;
  const stored = key === undefined ? undefined : keys.begin(key, fingerprint(call), account.now);
  if (stored) {
    if (delayMs > 0) await sleep(delayMs);
    return replay(call, stored);
  }
  let response: StoredResponse | null = null;
  try {
    const prepared = prepare(call);
    if (delayMs > 0) await sleep(delayMs);
    response = execute(call, prepared);
    return response;
  } finally {
    if (key !== undefined) keys.finish(key, response && (replacement ?? response));
  }
}

/** Return a response without doing anything, and store it under the idempotency key, if there is one. */
export function respondWithoutExecuting(call: AuthenticatedCall, response: StoredResponse): StoredResponse {
  const { account, key } = call;
  if (key === undefined) return response;
  const stored = account.idempotencyKeys.begin(key, fingerprint(call), account.now);
  if (stored) return replay(call, stored);
  account.idempotencyKeys.finish(key, response);
  return response;
}

export function errorResponse(error: StripeError, requestId: string): StoredResponse {
  return { status: error.status, body: JSON.stringify(error.body, null, 2), requestId };
}

/** Find the operation and reject a request that is wrong in itself. */
function prepare({ account, exchange: { method, path }, text }: AuthenticatedCall): PreparedCall {
  const found = router.match(method, path);
  if (!found) {
    const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs.`;
    throw new StripeError(404, message);
  }
  const { value: operation, id } = found;
  const params = checkParameters(operation.route, parseForm(text));
  operation.check?.({ account, id, params });
  return { operation, id, params };
}

/** Execute the operation synchronously. An error from here is stored like any other response. */
function execute({ account, entry, key }: AuthenticatedCall, { operation, id, params }: PreparedCall): StoredResponse {
  account.request = { id: entry.id, idempotency_key: key ?? null };
  try {
    const result = expand(account, operation.run({ account, id, params }), params.expand);
    return { status: 200, body: JSON.stringify(result, withFirstItems, 2), requestId: entry.id };
  } catch (error) {
    if (error instanceof StripeError) return errorResponse(error, entry.id);
    const bug = `The simulator has a bug: ${error instanceof Error ? error.stack : error}`;
    return errorResponse(new StripeError(500, bug, { type: 'api_error' }), entry.id);
  } finally {
    account.request = null;
  }
}

function replay({ entry }: AuthenticatedCall, stored: StoredResponse): StoredResponse {
  entry.replayed = true;
  const headers = { 'idempotent-replayed': 'true', 'original-request': stored.requestId };
  return { ...stored, requestId: entry.id, headers: { ...stored.headers, ...headers } };
}

/** Two requests are the same when their method, path and parameters are, in whatever order. */
function fingerprint({ exchange: { method, path }, text }: AuthenticatedCall): string {
  return [method, path, ...text.split('&').sort()].join('&');
}

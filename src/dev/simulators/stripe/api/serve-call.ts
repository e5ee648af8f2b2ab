import { setTimeout as sleep } from 'node:timers/promises';
import { accountOperations } from '../account-operations.ts';
import { subscriptions } from '../billing/operations.ts';
import { catalogue, coupons } from '../catalogue/operations.ts';
import { checkoutSessions } from '../checkout/operations.ts';
import { customers } from '../customers/operations.ts';
import { payments } from '../payments/operations.ts';
import type { SimulatorState } from '../simulator-state.ts';
import type { Account } from '../state/account.ts';
import type { Answer } from '../state/idempotency-keys.ts';
import { events } from '../webhooks/operations.ts';
import { checkParameters } from './check-parameters.ts';
import { StripeError } from './error.ts';
import { expand } from './expand.ts';
import { parseForm } from './form.ts';
import type { Exchange } from './http.ts';
import type { Operation } from './operation.ts';
import type { LoggedRequest } from './request-log.ts';
import { Router } from './router.ts';

/** One request whose sender is known. */
export interface SharedOptions {
  readonly simulator: SimulatorState;
  readonly account: Account;
  readonly exchange: Exchange;
  /** Its parameters, still encoded. */
  readonly text: string;
  readonly entry: LoggedRequest;
  readonly key: string | undefined;
}

interface Work {
  readonly operation: Operation;
  readonly id: string;
  readonly params: { readonly expand?: readonly string[] };
}

/** Every operation that the simulator offers. */
const operations = [
  ...accountOperations,
  ...catalogue,
  ...checkoutSessions,
  ...coupons,
  ...customers,
  ...events,
  ...payments,
  ...subscriptions,
];

const router = new Router<Operation>(operations.map((operation) => [operation.route, operation]));

/**
 * Serve a request as Stripe would, under its idempotency key if it has one. `kept` is stored under
 * the key in place of the true answer; what `prepare` refuses is not stored at all.
 */
export async function respondToCall(shared: SharedOptions, delayMs = 0, kept?: Answer): Promise<Answer> {
  const { account, key } = shared;
  const { idempotencyKeys: keys } = account;
  const stored = key === undefined ? undefined : keys.begin(key, fingerprint(shared), account.now);
  if (stored) {
    if (delayMs > 0) await sleep(delayMs);
    return replay(shared, stored);
  }
  let answer: Answer | null = null;
  try {
    const work = prepare(shared);
    if (delayMs > 0) await sleep(delayMs);
    answer = perform(shared, work);
    return answer;
  } finally {
    if (key !== undefined) keys.finish(key, answer && (kept ?? answer));
  }
}

/** Answer without doing anything, and keep that under the idempotency key, if there is one. */
export function respondWithoutWork(shared: SharedOptions, answer: Answer): Answer {
  const { account, key } = shared;
  if (key === undefined) return answer;
  const stored = account.idempotencyKeys.begin(key, fingerprint(shared), account.now);
  if (stored) return replay(shared, stored);
  account.idempotencyKeys.finish(key, answer);
  return answer;
}

export function errorResponse(refusal: StripeError, requestId: string): Answer {
  return { status: refusal.status, body: JSON.stringify(refusal.body, null, 2), requestId };
}

/** Find the operation and refuse what is wrong with the request itself. */
function prepare({ account, exchange: { method, path }, text }: SharedOptions): Work {
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

/** Do the work in one go; a refusal from here is an answer like any other, and is kept like one. */
function perform({ account, entry, key, simulator }: SharedOptions, { operation, id, params }: Work): Answer {
  account.request = { id: entry.id, idempotency_key: key ?? null };
  try {
    const result = expand(account, operation.run({ account, id, params }), params.expand);
    return { status: 200, body: JSON.stringify(result, null, 2), requestId: entry.id };
  } catch (error) {
    if (error instanceof StripeError) return errorResponse(error, entry.id);
    simulator.log(`bug in the Stripe simulator: ${error instanceof Error ? error.stack : error}`);
    return errorResponse(new StripeError(500, 'The simulator has a bug.', { type: 'api_error' }), entry.id);
  } finally {
    account.request = null;
  }
}

function replay({ entry }: SharedOptions, stored: Answer): Answer {
  entry.replayed = true;
  const headers = { 'idempotent-replayed': 'true', 'original-request': stored.requestId };
  return { ...stored, requestId: entry.id, headers: { ...stored.headers, ...headers } };
}

/** Two requests are the same when their method, path and parameters are, in whatever order. */
function fingerprint({ exchange: { method, path }, text }: SharedOptions): string {
  return [method, path, ...text.split('&').sort()].join('&');
}

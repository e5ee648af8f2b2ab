import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { notSent, type PaymentAccount, storedFailure } from '#src/domain/ports/payment-gateway.ts';
import type { Bulkhead } from '#src/lib/bulkhead.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError, type ProviderFailure } from '#src/lib/errors.ts';
import type { Log } from '#src/lib/log.ts';
import { inCall } from '#src/lib/tracing.ts';
import type { CircuitBreaker } from '../lib/circuit-breaker.ts';
import { connectionCodeOf } from '../lib/connection-code.ts';
import { readRetryAfter } from '../lib/retry-after.ts';

const defaultTryMs = seconds(8);
const totalMs = seconds(17);
const pauseMs = 150;

/** How long all calls of one operation may take together. */
export interface Budget {
  readonly endsAt: number;
}

export const newBudget = ({ endsAt = Infinity }: PaymentAccount): Budget => ({
  endsAt: Math.min(endsAt, performance.now() + totalMs),
});

export interface Call {
  readonly account: PaymentAccount;
  /** The name of the call in the log: `sessions.create`. */
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
  readonly budget?: Budget;
  /** The idempotency key of a POST: a repeat with the same key has no second effect. */
  readonly key?: string;
}

/** The options that all calls of one operation share. */
export type SharedOptions = Pick<Call, 'account' | 'budget' | 'signal'>;

/** Sends a call with the store's own key, a time limit, and one retry when its outcome is unknown. */
export type Caller = <Result>(call: Call, send: (options: Stripe.RequestOptions) => Promise<Result>) => Promise<Result>;

export interface CallerOptions {
  readonly log: Log;
  readonly breaker: CircuitBreaker;
  readonly bulkhead: Bulkhead;
  /** How long one attempt waits for its response. */
  readonly tryMs?: number | undefined;
}

/**
 * Create the function that all calls to Stripe go through. The SDK retries nothing by itself (except once after a reset
 * connection, with the same key); we retry once, where no response came, so that a shopper's wait stays bounded.
 */
export function createCaller({ log, breaker, bulkhead, tryMs = defaultTryMs }: CallerOptions): Caller {
  return (call, send) => {
    const budget = call.budget ?? newBudget(call.account);
    return bulkhead.run(call.account.tenantId, async () => {
      // What is not sent tells the breaker nothing.
      const once = async () => {
        call.signal?.throwIfAborted();
        const timeout = Math.round(Math.min(tryMs, budget.endsAt - performance.now()));
        if (timeout <= 0) throw noTime(call.operation);
        return breaker.run('stripe', call.account.tenantId, () =>
          inCall('stripe', call.operation, () => tryOnce(log, call, timeout, send)),
        );
      };
      try {
        return await once();
      } catch (error) {
        if (!isOutcomeUnknown(error) || budget.endsAt - performance.now() < pauseMs * 10) throw error;
        await sleep(pauseMs);
        return error.code === notSent ? await once() : await asOutcomeUnknown(once());
      }
    });
  };
}

const noTime = (operation: string) =>
  new ProviderError('stripe', 'busy', `Stripe, ${operation}: the deadline has passed.`, { code: 'no_time' });

async function tryOnce<Result>(
  log: Log,
  { account, operation, key }: Call,
  timeout: number,
  send: (options: Stripe.RequestOptions) => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  const logged = (status: string | number) =>
    log.info({ provider: 'stripe', operation, status, ms: Math.round(performance.now() - startedAt) }, 'provider call');
  try {
    const result = await send({ apiKey: account.secretKey, timeout, ...(key && { idempotencyKey: key }) });
    logged('ok');
    return result;
  } catch (error) {
    const classified = classifyError(operation, error);
    logged(classified instanceof ProviderError ? classified.failure : 'failed');
    throw classified;
  }
}

const isOutcomeUnknown = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.failure === 'away';

const wasNotSent = ({ failure, code }: ProviderError) => failure === 'busy' || failure === 'denied' || code === notSent;

/** The first attempt may have had its effect, so a retry that was rejected unsent leaves the outcome unknown. */
async function asOutcomeUnknown<Result>(repeat: Promise<Result>): Promise<Result> {
  try {
    return await repeat;
  } catch (error) {
    if (!(error instanceof ProviderError) || !wasNotSent(error)) throw error;
    const { message, retryAfterSeconds } = error;
    const code = error.code === notSent ? undefined : error.code;
    throw new ProviderError('stripe', 'away', message, { code, retryAfterSeconds });
  }
}

/**
 * Translate an error of the SDK. Stripe's messages contain ids and personal data, so they are dropped; its code, the
 * parameter and its request id are enough to find the request in its dashboard.
 */
function classifyError(operation: string, error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { type, code, param, statusCode, requestId } = error;
  const failure = failureOf(error);
  const connection = error instanceof Stripe.errors.StripeConnectionError && connectionCodeOf(error.detail);
  const reason = [
    code ?? type,
    connection,
    param && `at ${param}`,
    statusCode && `status ${statusCode}`,
    requestId,
  ].filter(Boolean);
  return new ProviderError('stripe', failure, `Stripe, ${operation}: ${reason.join(', ')}.`, {
    code: codeOf(error),
    retryAfterSeconds: failure === 'busy' ? readRetryAfter(error.headers?.['retry-after']) : undefined,
  });
}

function codeOf(error: InstanceType<typeof Stripe.errors.StripeError>): string {
  if (isUnsent(error)) return notSent;
  return isStored(error) ? storedFailure : (error.code ?? error.type);
}

/** A key that came first with other parameters, such as from another release, is rejected for a day, too. */
function isStored(error: InstanceType<typeof Stripe.errors.StripeError>): boolean {
  if (error instanceof Stripe.errors.StripeIdempotencyError) return error.statusCode === 400;
  return Number(error.statusCode) >= 500 && error.headers?.['idempotent-replayed'] === 'true';
}

function failureOf(error: InstanceType<typeof Stripe.errors.StripeError>): ProviderFailure {
  const {
    StripeAuthenticationError,
    StripeConnectionError,
    StripeIdempotencyError,
    StripePermissionError,
    StripeRateLimitError,
  } = Stripe.errors;
  if (error instanceof StripeAuthenticationError || error instanceof StripePermissionError) return 'denied';
  if (error instanceof StripeRateLimitError) return 'busy';
  if (error instanceof StripeConnectionError) return 'away';
  // The first request with this key is still under way (409), or came from another release with other parameters (400):
  // its outcome is unknown.
  if (error instanceof StripeIdempotencyError || error.statusCode === 409) return 'away';
  if (error.statusCode === undefined || error.statusCode >= 500) return 'away';
  return error.statusCode === 404 || error.code === 'resource_missing' ? 'missing' : 'refused';
}

/** Errors of connections that were never established: nothing was sent. */
const unsentCodes: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

function isUnsent(error: InstanceType<typeof Stripe.errors.StripeError>): boolean {
  const { detail } = error;
  return (
    error instanceof Stripe.errors.StripeConnectionError &&
    detail instanceof Error &&
    'code' in detail &&
    unsentCodes.includes(detail.code)
  );
}

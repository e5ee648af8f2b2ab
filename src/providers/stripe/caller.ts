import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { notSent, type PaymentAccount } from '#src/domain/ports/payment-gateway.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError, type ProviderFailure } from '#src/lib/errors.ts';
import type { Log } from '#src/lib/log.ts';
import { inCall } from '#src/lib/tracing.ts';
import type { Slots } from '../lib/bulkhead.ts';
import type { CircuitBreaker } from '../lib/circuit-breaker.ts';

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
  /** What is asked, for the log: `sessions.create`. */
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
  readonly budget?: Budget;
  /** For a POST: asked again with the same key, it is done once. */
  readonly key?: string;
}

/** Sends a call as it is to be sent: with the store's own key, a time limit, and one repeat when nothing settled it. */
export type Caller = <Result>(call: Call, send: (options: Stripe.RequestOptions) => Promise<Result>) => Promise<Result>;

export interface CallerOptions {
  readonly log: Log;
  readonly breaker: CircuitBreaker;
  readonly slots: Slots;
  /** How long one try waits for its answer. */
  readonly tryMs?: number | undefined;
}

/**
 * The one way to Stripe. Its SDK repeats nothing by itself (but once after a reset connection, with the same key): we
 * do, once, where no answer came, so that the whole stays within the time that a shopper waits.
 */
export function createCaller({ log, breaker, slots, tryMs = defaultTryMs }: CallerOptions): Caller {
  return (call, send) => {
    const budget = call.budget ?? newBudget(call.account);
    return slots.run('stripe', call.account.tenantId, async () => {
      const once = () =>
        breaker.run('stripe', call.account.tenantId, () =>
          inCall('stripe', call.operation, () => tryOnce({ log, tryMs }, call, budget, send)),
        );
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

async function tryOnce<Result>(
  { log, tryMs }: { log: Log; tryMs: number },
  { account, operation, signal, key }: Call,
  budget: Budget,
  send: (options: Stripe.RequestOptions) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const startedAt = performance.now();
  const timeout = Math.round(Math.min(tryMs, budget.endsAt - startedAt));
  if (timeout <= 0)
    throw new ProviderError('stripe', 'busy', `Stripe, ${operation}: no time is left to ask.`, { code: 'no_time' });
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

/** The first try may have had its effect, so a repeat that was not let in leaves the outcome unknown. */
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
 * What an error of the SDK means, once and for all. Stripe's own sentences name ids and addresses, so they stay here;
 * its code, the parameter at fault and its request id are enough to find them again in its dashboard.
 */
function classifyError(operation: string, error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { type, code, param, statusCode, requestId } = error;
  const failure = failureOf(error);
  const reason = [code ?? type, param && `at ${param}`, statusCode && `status ${statusCode}`, requestId].filter(
    Boolean,
  );
  return new ProviderError('stripe', failure, `Stripe, ${operation}: ${reason.join(', ')}.`, {
    code: isUnsent(error) ? notSent : (code ?? type),
    retryAfterSeconds: failure === 'busy' ? retryAfterOf(error) : undefined,
  });
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
  // The first request with this key still runs (409), or was worded by another release of ours (400): what became of
  // that one is not known.
  if (error instanceof StripeIdempotencyError || error.statusCode === 409) return 'away';
  if (error.statusCode === undefined || error.statusCode >= 500) return 'away';
  return error.statusCode === 404 || error.code === 'resource_missing' ? 'missing' : 'refused';
}

/** A connection that never came about carried nothing. */
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

function retryAfterOf({ headers }: InstanceType<typeof Stripe.errors.StripeError>): number | undefined {
  const seconds = Number(headers?.['retry-after']);
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}

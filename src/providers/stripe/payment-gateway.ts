import http from 'node:http';
import https from 'node:https';

import Stripe from 'stripe';

import type { PaymentGateway } from '#src/domain/ports/payment-gateway.ts';
import { Bulkhead } from '#src/lib/bulkhead.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Log } from '#src/lib/log.ts';
import type { CircuitBreaker } from '../lib/circuit-breaker.ts';
import { accountCalls } from './account-calls.ts';
import { createCaller } from './caller.ts';
import { endpointCalls } from './endpoint-calls.ts';
import { verifyEvent } from './events.ts';
import { paymentCalls } from './payment-calls.ts';
import { sessionCalls } from './session-calls.ts';
import { subscriptionCalls } from './subscription-calls.ts';

/** The version that this code was written against, whatever an account or a newer SDK takes for its own. */
const apiVersion = '2026-10-28.endive';

const socketsMax = 50;
const callsPerAccountMax = 16;
const bulkheadWaitMs = 4000;

export interface StripeOptions {
  readonly log: Log;
  readonly breaker: CircuitBreaker;
  /** Another base URL of the API, such as a simulator's. */
  readonly apiBase?: string | undefined;
  /** How long one attempt waits for its response: 8 seconds by default. */
  readonly tryMs?: number | undefined;
}

/**
 * Create the payment gateway to Stripe. One client serves every store, each call with the store's own key: a client for
 * each store would cost 45 kB and its own sockets. Stripe's types, statuses and errors do not leave this folder.
 */
export function createStripePaymentGateway({ log, breaker, apiBase, tryMs }: StripeOptions): PaymentGateway {
  const config = { ...transportTo(apiBase), apiVersion, maxNetworkRetries: 0, telemetry: false } as const;
  const stripe = new Stripe('sk_given_with_each_call', config);
  const call = createCaller({
    log,
    breaker,
    tryMs,
    bulkhead: new Bulkhead({ max: callsPerAccountMax, waitMs: bulkheadWaitMs, errorWhenFull: tooManyCalls }),
  });
  return {
    ...accountCalls(stripe, call),
    ...sessionCalls(stripe, call),
    ...subscriptionCalls(stripe, call),
    ...paymentCalls(stripe, call),
    ...endpointCalls(stripe, call, apiVersion),
    verifyEvent,
  };
}

/** Nothing was sent. */
const tooManyCalls = () =>
  new ProviderError('stripe', 'busy', 'Too many concurrent calls to Stripe.', {
    code: 'no_slot',
    retryAfterSeconds: 1,
  });

function transportTo(apiBase: string | undefined): Stripe.StripeConfig {
  const agent = { keepAlive: true, maxSockets: socketsMax };
  if (!apiBase) return { httpAgent: new https.Agent(agent) };
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return {
    protocol: isPlain ? 'http' : 'https',
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    httpAgent: isPlain ? new http.Agent(agent) : new https.Agent(agent),
  };
}

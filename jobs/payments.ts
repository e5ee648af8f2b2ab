import Type from 'typebox';

import { days } from '#src/lib/duration.ts';
import { defineJob, defineScheduledJob, keyOfPeriod, Period } from './lib/define-job.ts';
import { exponential, never } from './lib/retry.ts';

/**
 * Reconciles the object of a payment event with the provider's current state. While the provider does not respond, the
 * next attempt is a new job.
 */
export const reconcilePaymentEvent = defineJob({
  name: 'payments.reconcile-payment-event',
  queue: 'payments',
  payload: Type.Object({ eventId: Type.String(), attempt: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ eventId, attempt }) => `${eventId}:${attempt}`,
});

/** Fetches the state of an order's session, because no webhook is relied on, and releases its stock when it expires. */
export const checkSession = defineJob({
  name: 'payments.check-session',
  queue: 'payments',
  payload: Type.Object({ orderId: Type.String(), number: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ orderId, number }) => `${orderId}:${number}`,
});

/** Requests a refund from the payment provider. While the provider does not respond, the next attempt is a new job. */
export const issueRefund = defineJob({
  name: 'payments.issue-refund',
  queue: 'payments',
  payload: Type.Object({ refundId: Type.String(), attempt: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ refundId, attempt }) => `${refundId}:${attempt}`,
});

/** Fetches a subscription some time after it was to be reactivated: whether the provider did that may not be known. */
export const checkReactivation = defineJob({
  name: 'payments.check-reactivation',
  queue: 'payments',
  payload: Type.Object({ paymentSubscriptionId: Type.String(), version: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ paymentSubscriptionId, version }) => `${paymentSubscriptionId}:${version}`,
});

/** Deletes the discount that was created at the provider for one session, when that has ended. */
export const removeDiscount = defineJob({
  name: 'payments.remove-discount',
  queue: 'payments',
  payload: Type.Object({ orderId: Type.String() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 60,
  key: ({ orderId }) => orderId,
});

/** Finishes a rotation of the provider's signing secret that the owner confirmed. */
export const finishSecretRotation = defineJob({
  name: 'payments.finish-secret-rotation',
  queue: 'payments',
  payload: Type.Object({ rotationId: Type.String() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ rotationId }) => rotationId,
});

/** Enqueues the checks and repairs of sessions that are due. Only a tick: it finds its rows by query. */
export const sweepSessions = defineJob({
  name: 'payments.sweep-sessions',
  queue: 'payments',
  payload: Type.Object({}),
  // The next tick is the next attempt.
  retry: never,
  timeoutSeconds: 60,
  key: () => 'tick',
});

/** Enqueues a sweep of each store's payment events. */
export const sweepEvents = defineScheduledJob({
  name: 'payments.sweep-events',
  queue: 'payments',
  everyMs: 'sweep',
});

/** Receives the events of one store that no webhook delivered. */
export const sweepStoreEvents = defineJob({
  name: 'payments.sweep-store-events',
  queue: 'payments',
  payload: Period,
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 120,
  key: keyOfPeriod,
});

/**
 * Scans one batch of the provider's objects from a time range whose events the provider no longer lists. The next batch
 * is a new job.
 */
export const scanEventGap = defineJob({
  name: 'payments.look-through-gap',
  queue: 'payments',
  payload: Type.Object({ gapId: Type.String(), number: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 300,
  key: ({ gapId, number }) => `${gapId}:${number}`,
});

/** Enqueues each store's daily comparison with the payment provider. */
export const reportDrift = defineScheduledJob({
  name: 'payments.report-drift',
  queue: 'payments',
  everyMs: days(1),
});

/** Compares the paid sessions of one store with its paid orders, in both directions. */
export const reportStoreDrift = defineJob({
  name: 'payments.report-store-drift',
  queue: 'payments',
  payload: Period,
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 300,
  key: keyOfPeriod,
});

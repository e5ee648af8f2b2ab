import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/**
 * Bring what one event of the payment provider is about into line with what the provider says now. While it cannot be
 * asked, the next attempt is a promise of its own.
 */
export const reconcilePaymentEvent = defineJob({
  name: 'payments.reconcile-payment-event',
  queue: 'payments',
  payload: Type.Object({ eventId: Type.String(), attempt: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ eventId, attempt }) => `${eventId}:${attempt}`,
});

/** Ask how the session of an order stands, because nothing depends on being told; and let its holds go at its end. */
export const checkSession = defineJob({
  name: 'payments.check-session',
  queue: 'payments',
  payload: Type.Object({ orderId: Type.String(), number: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ orderId, number }) => `${orderId}:${number}`,
});

/**
 * Ask the payment provider to send money of an order back. While it cannot be asked, the next attempt is a promise of
 * its own.
 */
export const issueRefund = defineJob({
  name: 'payments.issue-refund',
  queue: 'payments',
  payload: Type.Object({ refundId: Type.String(), attempt: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ refundId, attempt }) => `${refundId}:${attempt}`,
});

/** Take away the discount that was made at the provider for one session, which is over. */
export const removeDiscount = defineJob({
  name: 'payments.remove-discount',
  queue: 'payments',
  payload: Type.Object({ orderId: Type.String() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 60,
  key: ({ orderId }) => orderId,
});

/** Finish a replacement of the provider's signing secret that its owner confirmed. */
export const finishSecretRotation = defineJob({
  name: 'payments.finish-secret-rotation',
  queue: 'payments',
  payload: Type.Object({ rotationId: Type.String() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ rotationId }) => rotationId,
});

/** Find the sessions whose check is overdue, and promise it again. */
export const sweepSessions = defineJob({
  name: 'payments.sweep-sessions',
  queue: 'payments',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});

/** Promise each store a look through its provider's events. */
export const sweepEvents = defineJob({
  name: 'payments.sweep-events',
  queue: 'payments',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});

/** Take in the events of one store that no webhook has brought. */
export const sweepStoreEvents = defineJob({
  name: 'payments.sweep-store-events',
  queue: 'payments',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 120,
  key: ({ slot }) => String(slot),
});

/**
 * Look through the provider's objects for what its events of a stretch of time no longer tell, one portion of it. The
 * next portion is a promise of its own.
 */
export const scanEventGap = defineJob({
  name: 'payments.look-through-gap',
  queue: 'payments',
  payload: Type.Object({ gapId: Type.String(), number: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 300,
  key: ({ gapId, number }) => `${gapId}:${number}`,
});

/** Forget what was heard of the provider so long ago that it no longer lists it. */
export const pruneEvents = defineJob({
  name: 'payments.prune-events',
  queue: 'payments',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});

/** Promise each store its daily comparison with its provider. */
export const reportDrift = defineJob({
  name: 'payments.report-drift',
  queue: 'payments',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});

/** Compare the paid sessions of one store with its paid orders, both ways. */
export const reportStoreDrift = defineJob({
  name: 'payments.report-store-drift',
  queue: 'payments',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 300,
  key: ({ slot }) => String(slot),
});

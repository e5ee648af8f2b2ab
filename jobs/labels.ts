import Type from 'typebox';

import { defineJob, defineScheduledJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Purchases the label of an order, finds that none is needed, or flags it for an operator. */
export const purchaseLabel = defineJob({
  name: 'labels.purchase-label',
  queue: 'labels',
  payload: Type.Object({ labelId: Type.String(), attempt: Type.Integer() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 150,
  key: ({ labelId, attempt }) => `${labelId}:${attempt}`,
});

/** Enqueues a batch of the labels that waited until an account could purchase again. */
export const resumeLabels = defineJob({
  name: 'labels.resume-labels',
  queue: 'labels',
  payload: Type.Object({ accountId: Type.String(), version: Type.Integer(), number: Type.Integer() }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 30,
  key: ({ accountId, version, number }) => `${accountId}:${version}:${number}`,
});

/** Checks again whether a label was purchased without a recorded result, or twice. */
export const checkPurchases = defineJob({
  name: 'labels.check-purchases',
  queue: 'labels',
  payload: Type.Object({ labelId: Type.String(), number: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 45,
  key: ({ labelId, number }) => `${labelId}:${number}`,
});

/** Requests the refund of a duplicate label. */
export const refundDuplicate = defineJob({
  name: 'labels.refund-duplicate',
  queue: 'labels',
  payload: Type.Object({ purchaseId: Type.String() }),
  retry: exponential({ attempts: 12 }),
  timeoutSeconds: 60,
  key: ({ purchaseId }) => purchaseId,
});

/**
 * Requests the refund of a label of whose order nothing is sent. Caused by the order's refund, by a return that was
 * approved before it shipped, or by a label purchase after either.
 */
export const refundUnusedLabel = defineJob({
  name: 'labels.withdraw-label',
  queue: 'labels',
  payload: Type.Object({
    labelId: Type.String(),
    kind: Type.Enum(['refund', 'return', 'purchase']),
    version: Type.Integer(),
  }),
  retry: exponential({ attempts: 12 }),
  timeoutSeconds: 60,
  key: ({ labelId, kind, version }) => `${labelId}:${kind}:${version}`,
});

/** Finishes voiding a label when the request that began it did not. */
export const finishVoid = defineJob({
  name: 'labels.finish-void',
  queue: 'labels',
  payload: Type.Object({ labelId: Type.String(), version: Type.Integer() }),
  retry: exponential({ attempts: 12 }),
  timeoutSeconds: 60,
  key: ({ labelId, version }) => `${labelId}:${version}`,
});

/** Fetches what a notification of the shipping provider is about. */
export const processNotification = defineJob({
  name: 'labels.follow-hint',
  queue: 'labels',
  payload: Type.Object({ notificationId: Type.String() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 45,
  key: ({ notificationId }) => notificationId,
});

/** Fetches the tracking status of a parcel from the provider. */
export const reconcileTracking = defineJob({
  name: 'labels.reconcile-tracking',
  queue: 'labels',
  payload: Type.Object({ trackingId: Type.String(), number: Type.Integer() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 45,
  key: ({ trackingId, number }) => `${trackingId}:${number}`,
});

/** Enqueues a poll for each parcel that is due. */
export const pollTrackings = defineScheduledJob({
  name: 'labels.poll-trackings',
  queue: 'labels',
  everyMs: 'sweep',
});

/** Enqueues a check for each label whose purchase has to be looked up again. */
export const sweepLabels = defineScheduledJob({
  name: 'labels.sweep-labels',
  queue: 'labels',
  everyMs: 'sweep',
});

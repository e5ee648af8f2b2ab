import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Bring the label of an order to its end: bought, not needed, or in front of a person. */
export const purchaseLabel = defineJob({
  name: 'labels.purchase-label',
  queue: 'labels',
  payload: Type.Object({ labelId: Type.String(), attempt: Type.Integer() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 150,
  key: ({ labelId, attempt }) => `${labelId}:${attempt}`,
});

/** Promise again the labels that waited for an account that opens, some at a time. */
export const resumeLabels = defineJob({
  name: 'labels.resume-labels',
  queue: 'labels',
  payload: Type.Object({ accountId: Type.String(), version: Type.Integer(), number: Type.Integer() }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 30,
  key: ({ accountId, version, number }) => `${accountId}:${version}:${number}`,
});

/** Look again whether a label was bought that nobody waits for, or twice. */
export const checkPurchases = defineJob({
  name: 'labels.check-purchases',
  queue: 'labels',
  payload: Type.Object({ labelId: Type.String(), number: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 45,
  key: ({ labelId, number }) => `${labelId}:${number}`,
});

/** Ask for the price of a second label back. */
export const refundDuplicate = defineJob({
  name: 'labels.refund-duplicate',
  queue: 'labels',
  payload: Type.Object({ purchaseId: Type.String() }),
  retry: exponential({ attempts: 12 }),
  timeoutSeconds: 60,
  key: ({ purchaseId }) => purchaseId,
});

/** Give the label of a refunded order back. Called off by the order's refund, or by its own purchase after that. */
export const refundUnusedLabel = defineJob({
  name: 'labels.withdraw-label',
  queue: 'labels',
  payload: Type.Object({ labelId: Type.String(), kind: Type.Enum(['refund', 'purchase']), version: Type.Integer() }),
  retry: exponential({ attempts: 12 }),
  timeoutSeconds: 60,
  key: ({ labelId, kind, version }) => `${labelId}:${kind}:${version}`,
});

/** Finish giving a label back, where whoever began it did not come to the end. */
export const finishVoid = defineJob({
  name: 'labels.finish-void',
  queue: 'labels',
  payload: Type.Object({ labelId: Type.String(), version: Type.Integer() }),
  retry: exponential({ attempts: 12 }),
  timeoutSeconds: 60,
  key: ({ labelId, version }) => `${labelId}:${version}`,
});

/** Look at what the parcel provider hinted at. */
export const processNotification = defineJob({
  name: 'labels.follow-hint',
  queue: 'labels',
  payload: Type.Object({ notificationId: Type.String() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 45,
  key: ({ notificationId }) => notificationId,
});

/** Ask the provider where a parcel is. */
export const reconcileTracking = defineJob({
  name: 'labels.reconcile-tracking',
  queue: 'labels',
  payload: Type.Object({ trackingId: Type.String(), number: Type.Integer() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 45,
  key: ({ trackingId, number }) => `${trackingId}:${number}`,
});

/** Find the parcels whose turn it is to be asked about. */
export const pollTrackings = defineJob({
  name: 'labels.poll-trackings',
  queue: 'labels',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});

/** Find the labels whose purchases are to be looked at again. */
export const sweepLabels = defineJob({
  name: 'labels.sweep-labels',
  queue: 'labels',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});

/** Forget the hints of last month. */
export const pruneNotifications = defineJob({
  name: 'labels.prune-hints',
  queue: 'labels',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});

import * as jobs from '#jobs/labels.ts';
import * as shipping from '#src/domain/shipping/index.ts';
import { platformProcessor, processor } from '#workers/runtime/processor.ts';

/** Each job about labels and parcels, and the one operation that does it. */
export const processors = [
  processor(jobs.purchaseLabel, shipping.purchaseLabel, shipping.failLabel),
  processor(jobs.resumeLabels, shipping.resumeLabels),
  processor(jobs.checkPurchases, shipping.checkPurchases),
  processor(jobs.refundDuplicate, shipping.refundDuplicate),
  processor(jobs.refundUnusedLabel, shipping.refundUnusedLabel, shipping.failLabelRefund),
  processor(jobs.finishVoid, shipping.refundUnusedLabel, shipping.failLabelRefund),
  processor(jobs.processNotification, shipping.processNotification),
  processor(jobs.reconcileTracking, shipping.reconcileTracking),
  platformProcessor(jobs.pollTrackings, shipping.pollTrackings),
  platformProcessor(jobs.sweepLabels, shipping.sweepLabels),
  platformProcessor(jobs.pruneNotifications, shipping.pruneNotifications),
];

import * as jobs from '#jobs/payments.ts';
import * as payments from '#src/domain/payments/index.ts';
import { platformProcessor, processor } from '#workers/runtime/processor.ts';

export const processors = [
  processor(jobs.reconcilePaymentEvent, payments.reconcilePaymentEvent),
  processor(jobs.checkSession, payments.checkSession),
  processor(jobs.issueRefund, payments.issueRefund),
  processor(jobs.removeDiscount, payments.removeDiscount),
  processor(jobs.finishSecretRotation, payments.finishSecretRotation),
  platformProcessor(jobs.sweepSessions, payments.sweepSessions),
  platformProcessor(jobs.sweepEvents, payments.sweepEvents),
  processor(jobs.sweepStoreEvents, payments.sweepStoreEvents),
  processor(jobs.scanEventGap, payments.scanEventGap),
  platformProcessor(jobs.pruneEvents, payments.pruneEvents),
  platformProcessor(jobs.reportDrift, payments.reportDrift),
  processor(jobs.reportStoreDrift, payments.reportStoreDrift),
];

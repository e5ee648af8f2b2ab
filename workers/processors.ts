import * as analyticsJobs from '#jobs/analytics.ts';
import * as bulkJobs from '#jobs/bulk.ts';
import * as checkoutJobs from '#jobs/checkout.ts';
import * as emailsJobs from '#jobs/emails.ts';
import * as integrationsJobs from '#jobs/integrations.ts';
import * as labelsJobs from '#jobs/labels.ts';
import * as leadsJobs from '#jobs/leads.ts';
import type { ScheduledJob } from '#jobs/lib/define-job.ts';
import * as paymentsJobs from '#jobs/payments.ts';
import * as privacyJobs from '#jobs/privacy.ts';
import * as remindersJobs from '#jobs/reminders.ts';
import * as retentionJobs from '#jobs/retention.ts';
import * as searchJobs from '#jobs/search.ts';
import * as sessionsJobs from '#jobs/sessions.ts';
import * as staffJobs from '#jobs/staff.ts';
import * as webhooksJobs from '#jobs/webhooks.ts';
import * as analytics from '#src/domain/analytics/index.ts';
import * as backoffice from '#src/domain/backoffice/index.ts';
import * as bulk from '#src/domain/bulk/index.ts';
import * as checkout from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import * as integrations from '#src/domain/integrations/index.ts';
import * as leads from '#src/domain/leads/index.ts';
import * as mail from '#src/domain/mail/index.ts';
import * as payments from '#src/domain/payments/index.ts';
import * as privacy from '#src/domain/privacy/index.ts';
import * as reminders from '#src/domain/reminders/index.ts';
import * as search from '#src/domain/search/index.ts';
import * as sessions from '#src/domain/sessions/index.ts';
import * as shipping from '#src/domain/shipping/index.ts';
import * as staff from '#src/domain/staff/index.ts';
import * as webhooks from '#src/domain/webhooks/index.ts';
import { type Processor, platformProcessor, processor } from './runtime/processor.ts';

/** A job that deletes what `retention.ts` of the backoffice lists for it. */
const pruning = (job: ScheduledJob) => platformProcessor(job, (ctx) => backoffice.prune(ctx, job));

/**
 * Send an email; check reminders and sign-in links again right before, because the mail server may have been down for
 * hours since they were decided. The domain of emails does not know these domains.
 */
export const sendCheckedMail = (ctx: Context, payload: { mailId: string }): Promise<void> =>
  mail.sendMail(ctx, payload, {
    abandoned_cart: reminders.checkReminder,
    magic_link: sessions.checkLink,
    staff_sign_in: staff.checkStaffLink,
    staff_invitation: staff.checkStaffLink,
  });

/** Every job with the operation that executes it, and the one that records its failure after the last attempt. */
export const processors: readonly Processor[] = [
  platformProcessor(analyticsJobs.aggregateBatches, analytics.aggregateBatches),
  processor(analyticsJobs.aggregateQuarantined, analytics.aggregateQuarantined),
  processor(analyticsJobs.rebuildDay, analytics.rebuildDay),
  platformProcessor(analyticsJobs.createPartitions, analytics.createPartitions),

  processor(bulkJobs.readImport, bulk.readImport, bulk.failOperation),
  processor(bulkJobs.applyBatches, bulk.applyBatches, bulk.failOperation),
  processor(bulkJobs.cancelSubscription, bulk.cancelSubscription, bulk.rejectCancellation),
  processor(bulkJobs.writeExport, bulk.writeExport, bulk.failOperation),

  processor(checkoutJobs.repairSession, checkout.repairSession),

  processor(emailsJobs.sendMail, sendCheckedMail, mail.failMail),

  processor(integrationsJobs.handleCall, integrations.handleCall, integrations.failCall),

  processor(labelsJobs.purchaseLabel, shipping.purchaseLabel, shipping.failLabel),
  processor(labelsJobs.resumeLabels, shipping.resumeLabels),
  processor(labelsJobs.checkPurchases, shipping.checkPurchases),
  processor(labelsJobs.refundDuplicate, shipping.refundDuplicate),
  processor(labelsJobs.refundUnusedLabel, shipping.refundUnusedLabel, shipping.failLabelRefund),
  processor(labelsJobs.finishVoid, shipping.refundUnusedLabel, shipping.failLabelRefund),
  processor(labelsJobs.processNotification, shipping.processNotification),
  processor(labelsJobs.reconcileTracking, shipping.reconcileTracking),
  platformProcessor(labelsJobs.pollTrackings, shipping.pollTrackings),
  platformProcessor(labelsJobs.sweepLabels, shipping.sweepLabels),

  processor(leadsJobs.notifyPublished, leads.notifyPublished),
  processor(leadsJobs.notifyRestock, leads.notifyRestock),

  processor(paymentsJobs.reconcilePaymentEvent, payments.reconcilePaymentEvent),
  processor(paymentsJobs.checkSession, payments.checkSession),
  processor(paymentsJobs.issueRefund, payments.issueRefund),
  processor(paymentsJobs.checkReactivation, payments.checkReactivation),
  processor(paymentsJobs.removeDiscount, payments.removeDiscount),
  processor(paymentsJobs.finishSecretRotation, payments.finishSecretRotation),
  platformProcessor(paymentsJobs.sweepSessions, payments.sweepSessions),
  platformProcessor(paymentsJobs.sweepEvents, payments.sweepEvents),
  processor(paymentsJobs.sweepStoreEvents, payments.sweepStoreEvents),
  processor(paymentsJobs.scanEventGap, payments.scanEventGap),
  platformProcessor(paymentsJobs.reportDrift, payments.reportDrift),
  processor(paymentsJobs.reportStoreDrift, payments.reportStoreDrift),

  processor(privacyJobs.eraseDataSubject, privacy.eraseDataSubject, privacy.failErasure),
  processor(privacyJobs.exportDataSubject, privacy.exportDataSubject, bulk.failOperation),

  processor(remindersJobs.decideReminder, reminders.decideReminder),

  platformProcessor(retentionJobs.pruneAnalytics, analytics.pruneAnalytics),
  platformProcessor(retentionJobs.removeStores, backoffice.removeStores),
  pruning(retentionJobs.pruneOutbox),
  pruning(retentionJobs.pruneBulk),
  pruning(retentionJobs.pruneCarts),
  pruning(retentionJobs.pruneCodes),
  pruning(retentionJobs.pruneMails),
  pruning(retentionJobs.pruneRequests),
  pruning(retentionJobs.pruneIntegrations),
  pruning(retentionJobs.pruneNotifications),
  pruning(retentionJobs.pruneEvents),
  platformProcessor(retentionJobs.pruneZeroResultSearches, search.pruneZeroResultSearches),
  pruning(retentionJobs.pruneSessions),
  pruning(retentionJobs.pruneDeliveries),

  processor(searchJobs.indexDocument, search.indexDocument),
  processor(searchJobs.indexDocuments, search.indexDocuments),
  processor(searchJobs.embedDocument, search.embedDocument),
  platformProcessor(searchJobs.sweepEmbeddings, search.sweepEmbeddings),

  processor(sessionsJobs.mailLink, sessions.mailLink),

  processor(staffJobs.mailStaffLink, staff.mailStaffLink),

  processor(webhooksJobs.drainEndpoint, webhooks.drainEndpoint, webhooks.resumeLater),
  processor(webhooksJobs.discardDeliveries, webhooks.discardDeliveries),
];

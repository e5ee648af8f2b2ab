import { days, hours } from '#src/lib/duration.ts';
import { defineScheduledJob, type Schedule } from './lib/define-job.ts';

/** A job, daily by default, that deletes rows whose retention has ended: see src/domain/backoffice/retention.ts. */
const definePruning = (name: string, schedule: Partial<Schedule> = {}) =>
  defineScheduledJob({ everyMs: days(1), ...schedule, name });

export const pruneOutbox = definePruning('backoffice.prune-outbox', { everyMs: hours(1), timeoutSeconds: 300 });
export const pruneRequests = definePruning('idempotency.prune-requests', { everyMs: hours(1) });
export const pruneBulk = definePruning('bulk.prune-operations', { everyMs: hours(1) });
export const pruneDeliveries = definePruning('webhooks.prune-deliveries', { everyMs: hours(1) });
export const pruneCarts = definePruning('cart.prune-carts', { timeoutSeconds: 120 });
export const pruneCodes = definePruning('confirmations.prune-codes');
export const pruneMails = definePruning('emails.prune-mails', { timeoutSeconds: 300 });
export const pruneIntegrations = definePruning('integrations.prune-integrations');
export const pruneSessions = definePruning('sessions.prune-sessions', { timeoutSeconds: 120 });
export const pruneZeroResultSearches = definePruning('search.prune-misses');
export const pruneNotifications = definePruning('labels.prune-hints', { queue: 'labels' });
export const pruneEvents = definePruning('payments.prune-events', { queue: 'payments' });

/** Deletes the rows of stores that were removed. Enqueued when one is, too. */
export const removeStores = definePruning('backoffice.remove-stores', { everyMs: hours(1), timeoutSeconds: 300 });

/** Deletes roll-ups row by row, and events by dropping whole daily partitions. */
export const pruneAnalytics = definePruning('analytics.prune-analytics', { attempts: 5, timeoutSeconds: 120 });

import { aggregateBatches, createPartitions, pruneAnalytics } from './analytics.ts';
import { pruneOutbox } from './backoffice.ts';
import { pruneCarts } from './cart.ts';
import { pruneCodes } from './confirmations.ts';
import { pruneMails } from './emails.ts';
import { pruneRequests } from './idempotency.ts';
import { pruneIntegrations } from './integrations.ts';
import { pollTrackings, pruneNotifications, sweepLabels } from './labels.ts';
import type { JobDefinition } from './lib/define-job.ts';
import { pruneEvents, reportDrift, sweepEvents, sweepSessions } from './payments.ts';
import { pruneZeroResultSearches, sweepEmbeddings } from './search.ts';
import { pruneSessions } from './sessions.ts';
import { pruneDeliveries } from './webhooks.ts';

/** How often a job comes round: milliseconds, or `sweep` for the interval that operators may set in local mode. */
export interface Schedule {
  readonly job: JobDefinition;
  readonly everyMs: number | 'sweep';
}

/**
 * The recurring page: what happens by itself, and how often. Each slot of time is promised once, however many relays
 * there are; of slots that were missed only the newest runs.
 */
export const schedules: readonly Schedule[] = [
  { job: pollTrackings, everyMs: 'sweep' },
  { job: sweepLabels, everyMs: 'sweep' },
  { job: pruneNotifications, everyMs: 86_400_000 },
  { job: sweepSessions, everyMs: 'sweep' },
  { job: sweepEvents, everyMs: 'sweep' },
  { job: pruneEvents, everyMs: 86_400_000 },
  { job: reportDrift, everyMs: 86_400_000 },
  { job: pruneDeliveries, everyMs: 3_600_000 },
  { job: pruneOutbox, everyMs: 3_600_000 },
  { job: pruneMails, everyMs: 86_400_000 },
  { job: pruneRequests, everyMs: 3_600_000 },
  { job: pruneCodes, everyMs: 86_400_000 },
  { job: pruneCarts, everyMs: 86_400_000 },
  { job: pruneIntegrations, everyMs: 86_400_000 },
  { job: pruneSessions, everyMs: 86_400_000 },
  { job: createPartitions, everyMs: 3_600_000 },
  { job: pruneAnalytics, everyMs: 86_400_000 },
  { job: sweepEmbeddings, everyMs: 900_000 },
  { job: pruneZeroResultSearches, everyMs: 86_400_000 },
];

/** What ticks faster than the relay's own rounds: it only wakes a worker, which finds its rows by query. */
export const tickers: readonly { readonly job: JobDefinition; readonly everyMs: number }[] = [
  { job: aggregateBatches, everyMs: 500 },
];

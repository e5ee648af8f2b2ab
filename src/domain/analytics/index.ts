export { aggregateBatches } from './aggregate-batches.ts';
export { type Backlog, readBacklog } from './backlog.ts';
export { EventsInput, EventsReceipt } from './event-input.ts';
export { ingestEvents } from './ingest-events.ts';
export { createPartitions } from './partitions.ts';
export { analyticsPersonalData } from './personal-data.ts';
export { aggregateQuarantined, countQuarantined } from './quarantine.ts';
export {
  busiestTenants,
  type DailyReport,
  DailyView,
  daily,
  type FunnelReport,
  FunnelView,
  funnel,
  PeriodQuery,
  type TenantNumbers,
} from './read-numbers.ts';
export { rebuildDay, requestRebuild } from './rebuild-day.ts';
export { pruneAnalytics } from './retention.ts';
export { recordOrderPaid } from './store-batch.ts';

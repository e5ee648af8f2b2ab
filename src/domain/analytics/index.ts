export { aggregateBatches } from './aggregate-batches.ts';
export { type Backlog, readBacklog } from './backlog.ts';
export { EventsInput, EventsReceipt } from './event-input.ts';
export { ingestEvents } from './ingest-events.ts';
export { analyticsPersonalData } from './personal-data.ts';
export { createPartitions, pruneAnalytics } from './prune-analytics.ts';
export { aggregateQuarantined, countQuarantined } from './quarantine.ts';
export {
  type DailyReport,
  DailyView,
  daily,
  type FunnelReport,
  FunnelView,
  funnel,
  PeriodQuery,
} from './read-numbers.ts';
export { busiestTenants, type TenantNumbers } from './read-stores.ts';
export { rebuildDay, requestRebuild } from './rebuild-day.ts';
export { recordOrderPaid } from './record-order-paid.ts';

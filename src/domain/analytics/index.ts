export { type Backlog, readBacklog } from './backlog.ts';
export { EventsInput, EventsReceipt } from './event-input.ts';
export { type FunnelStep, funnelSteps } from './event-types.ts';
export { type Folded, foldBatches } from './fold-batches.ts';
export { type EventsRequest, ingestEvents } from './ingest-events.ts';
export { createPartitions, pruneAnalytics } from './prune-analytics.ts';
export { daily, DailyView, funnel, FunnelView, type Period, PeriodQuery } from './read-numbers.ts';
export { rebuildDay, requestRebuild } from './rebuild-day.ts';
export { recordOrderPaid, type Sale } from './record-order-paid.ts';

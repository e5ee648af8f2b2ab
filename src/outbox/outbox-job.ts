import type { Clock } from '#src/lib/clock.ts';
import type { Sql } from '#src/lib/sql.ts';
import type { TraceCarrier } from '#src/lib/tracing.ts';
import type { RecordedEvent } from './events.ts';

/** A job to be enqueued: one row, written in the transaction that causes it. */
export interface OutboxJob {
  readonly id: string;
  readonly tenantId: string | null;
  readonly job: string;
  readonly queue: string;
  readonly key: string;
  readonly payload: object;
  readonly dueAt: Date;
  readonly requestId: string | null;
  readonly trace: TraceCarrier;
}

/** The parts of a context that the outbox uses: an open transaction, the tenant if there is one, and the clock. */
export interface OutboxContext {
  readonly tx?: {
    execute<Row>(statement: Sql): Promise<Row[]>;
    /** Written just before the commit, all jobs in one statement and all events in one. */
    readonly jobs: OutboxJob[];
    readonly events: RecordedEvent[];
  };
  readonly tenant?: { readonly id: string };
  readonly clock: Clock;
}

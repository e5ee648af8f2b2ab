import type { Clock } from '#src/lib/clock.ts';
import type { Sql } from '#src/lib/sql.ts';
import type { TraceCarrier } from '#src/lib/tracing.ts';
import type { RecordedEvent } from './events.ts';

/** A job that somebody promised: one row, written with the change that causes it. */
export interface PromisedJob {
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

/** What of a context the outbox uses: an open transaction, the tenant if there is one, and the time. */
export interface Promiser {
  readonly tx?: {
    run<Row>(statement: Sql): Promise<Row[]>;
    /** Written just before the commit, all in one statement each. */
    readonly promises: PromisedJob[];
    readonly events: RecordedEvent[];
  };
  readonly tenant?: { readonly id: string };
  readonly clock: Clock;
}

import type { Clock } from '#src/lib/clock.ts';
import type { CompletedJob } from '#src/outbox/closing-statement.ts';
import type { Database } from './connections.ts';
import type { Transaction } from './transaction.ts';

/** The parts of a context that statements and transactions use. */
export interface DatabaseContext {
  readonly database: Database;
  /** The open transaction, inside `transact` and `asPlatform`. */
  readonly tx?: Transaction;
  readonly clock: Clock;
  /** How long PostgreSQL may take for a read that is not brief. Default: as long as for any statement. */
  readonly readTimeoutMs?: number;
  /** The job that is being executed, if any. */
  readonly attempt?: CompletedJob;
}

/** A context whose statements row-level security holds to one tenant. */
export interface TenantContext extends DatabaseContext {
  readonly tenant: { readonly id: string };
}

/** A context inside a transaction. */
export type WithTransaction<Ctx extends DatabaseContext> = Ctx & { readonly tx: Transaction };

import type { Clock } from '#src/lib/clock.ts';
import type { Keyring } from '#src/lib/keyring.ts';
import type { Log } from '#src/lib/log.ts';
import type { CompletedJob } from '#src/outbox/closing-statement.ts';
import type { Database } from './connections.ts';
import type { Ports } from './ports/index.ts';
import type { Settings } from './settings.ts';
import type { Tenant } from './tenants/tenant.ts';
import type { Transaction } from './transaction.ts';

/** Who acts: an API key's id, a command line, a job or a shopper. It stands in the audit log. */
export interface Actor {
  readonly kind: 'key' | 'operator' | 'job' | 'shopper' | 'system';
  readonly id: string;
}

/** What a worker tells an operation about the run that called it. */
export interface JobAttempt extends CompletedJob {
  /** How many runs failed before this one. */
  readonly failedRuns: number;
  readonly isLastRun: boolean;
  /** Whether an operator retried the job after it had failed. */
  readonly manual: boolean;
}

/** What any operation may use that belongs to no tenant. */
export interface PlatformContext {
  readonly database: Database;
  /** The open transaction, inside `transact` and `asPlatform`. */
  readonly tx?: Transaction;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly ports: Ports;
  readonly settings: Settings;
  readonly actor: Actor;
  /** Ends outside calls when the run or the request that wanted them is over. */
  readonly signal?: AbortSignal;
  /** The process was told to stop: whoever works for long begins nothing more, and brings to an end what it began. */
  readonly stopping?: AbortSignal;
  readonly attempt?: JobAttempt;
}

/**
 * The one thing that every domain operation takes: it names the tenant, and everything the operation may use.
 *
 * The tenant comes from a key, a header, a session or a job's envelope and from nowhere else, and row-level
 * security holds every statement to it.
 */
export interface Context extends PlatformContext {
  readonly tenant: Tenant;
}

/** A context inside a transaction: what may change rows and promise jobs. */
export type InTransaction<Of extends PlatformContext = Context> = Of & { readonly tx: Transaction };

import type { DatabaseContext, WithTransaction } from '#src/database/context.ts';
import type { Keyring } from '#src/lib/keyring.ts';
import type { Log } from '#src/lib/log.ts';
import type { CompletedJob } from '#src/outbox/closing-statement.ts';
import type { Ports } from './ports/index.ts';
import type { Settings } from './settings.ts';
import type { Tenant } from './tenants/tenant.ts';

/** Who acts, as the audit log shows it: an API key, staff, an operator at the command line, a job or a shopper. */
export interface Actor {
  readonly kind: 'key' | 'staff' | 'operator' | 'job' | 'shopper' | 'system';
  readonly id: string;
  /** Of staff: until when the second factor of their session counts. */
  readonly verifiedUntil?: Date | null;
}

/** One attempt of a job, as a worker describes it to the operation that it calls. */
export interface JobAttempt extends CompletedJob {
  /** How many attempts failed before this one. */
  readonly failedAttempts: number;
  readonly isLastAttempt: boolean;
  /** Whether an operator retried the job after it had failed. */
  readonly manual: boolean;
}

/** Everything that an operation may use and that belongs to no tenant. */
export interface PlatformContext extends DatabaseContext {
  readonly log: Log;
  readonly keyring: Keyring;
  readonly ports: Ports;
  readonly settings: Settings;
  readonly actor: Actor;
  /** Aborts outside calls when the attempt or the request that they belong to is over. */
  readonly signal?: AbortSignal;
  /** Aborted when the process shuts down: long work then finishes its current batch and begins no other. */
  readonly stopping?: AbortSignal;
  readonly attempt?: JobAttempt;
  /** Waits until a busy worker has room for a further piece of a long job. Call the returned function at its end. */
  readonly takeTurn?: () => Promise<() => void>;
}

/**
 * The first parameter of every domain operation: the tenant, and everything that the operation may use.
 *
 * The tenant comes from an API key, a header, a session or a job's envelope only, and row-level security limits every
 * statement to its rows.
 */
export interface Context extends PlatformContext {
  readonly tenant: Tenant;
}

/** A context inside a transaction: it may change rows and enqueue jobs. */
export type InTransaction<Of extends PlatformContext = Context> = WithTransaction<Of>;

/** Do a piece of a long job when it is its turn: in a busy worker, jobs and pieces of other stores get theirs between. */
export async function inTurn<Result>({ takeTurn }: PlatformContext, piece: () => Promise<Result>): Promise<Result> {
  const endTurn = await takeTurn?.();
  try {
    return await piece();
  } finally {
    endTurn?.();
  }
}

/** Whether to begin no further batch: the attempt is over, or the process shuts down. */
export function isShuttingDown({ signal, stopping }: PlatformContext): boolean {
  return Boolean(signal?.aborted || stopping?.aborted);
}

import type { DatabaseContext, WithTransaction } from '#src/database/context.ts';
import type { Keyring } from '#src/lib/keyring.ts';
import type { Log } from '#src/lib/log.ts';
import type { CompletedJob } from '#src/outbox/closing-statement.ts';
import type { Ports } from './ports/index.ts';
import type { Settings } from './settings.ts';
import type { Tenant } from './tenants/tenant.ts';

/** Who acts: an API key's id, a command line, a job or a shopper. It stands in the audit log. */
export interface Actor {
  readonly kind: 'key' | 'operator' | 'job' | 'shopper' | 'system';
  readonly id: string;
}

/** One attempt of a job, as a worker describes it to the operation that it calls. */
export interface JobAttempt extends CompletedJob {
  /** How many attempts failed before this one. */
  readonly failedRuns: number;
  readonly isLastRun: boolean;
  /** Whether an operator retried the job after it had failed. */
  readonly manual: boolean;
}

/** What any operation may use that belongs to no tenant. */
export interface PlatformContext extends DatabaseContext {
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

/** A context inside a transaction: it may change rows and enqueue jobs. */
export type InTransaction<Of extends PlatformContext = Context> = WithTransaction<Of>;

/** Whether to begin nothing more: the run is over, or the process was told to stop. */
export function isShuttingDown({ signal, stopping }: PlatformContext): boolean {
  return Boolean(signal?.aborted || stopping?.aborted);
}

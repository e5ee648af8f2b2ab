import type { Static, TObject } from 'typebox';

import type { JobDefinition } from '#jobs/lib/define-job.ts';
import type { Context, PlatformContext } from '#src/domain/context.ts';

/** A job joined to the one domain operation that does it. */
export interface Processor {
  readonly job: JobDefinition;
  /** Whether the job belongs to a tenant, whose context it then runs in. */
  readonly scope: 'tenant' | 'platform';
  work(ctx: PlatformContext, payload: never): Promise<unknown>;
  /** Marks the job's subject as failed when no other attempt follows, or after it died repeatedly without an outcome. */
  onExhausted?(ctx: PlatformContext, payload: never): Promise<unknown>;
}

type Operation<On extends PlatformContext, Schema extends TObject> = (
  ctx: On,
  payload: Static<Schema>,
) => Promise<unknown>;

/**
 * A job of a tenant. `onExhausted` is called when no attempt is left, so that pages built from rows show the failure.
 */
export function processor<Schema extends TObject>(
  job: JobDefinition<Schema>,
  work: Operation<Context, Schema>,
  onExhausted?: Operation<Context, Schema>,
): Processor {
  return { job, scope: 'tenant', work, ...(onExhausted && { onExhausted }) } as unknown as Processor;
}

/** A job that belongs to no tenant: sweeps, retention. */
export function platformProcessor<Schema extends TObject>(
  job: JobDefinition<Schema>,
  work: Operation<PlatformContext, Schema>,
): Processor {
  return { job, scope: 'platform', work } as unknown as Processor;
}

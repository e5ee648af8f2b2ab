import type { Static, TObject } from 'typebox';

import type { JobDefinition } from '#jobs/lib/define-job.ts';
import type { Context, PlatformContext } from '#src/domain/context.ts';

/** A job joined to the one domain operation that does it. */
export interface Processor {
  readonly job: JobDefinition;
  /** Whether the job belongs to a tenant, whose context it then runs in. */
  readonly scope: 'tenant' | 'platform';
  work(ctx: PlatformContext, payload: never): Promise<unknown>;
  /** What gives the work up in the shop's own rows when run after run failed, or died without an outcome. */
  onExhausted?(ctx: PlatformContext, payload: never): Promise<unknown>;
}

type Operation<On extends PlatformContext, Schema extends TObject> = (
  ctx: On,
  payload: Static<Schema>,
) => Promise<unknown>;

/** A tenant's job. `onExhausted` is told when no run is left, or its runs keep dying, so that a page built from rows shows it. */
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

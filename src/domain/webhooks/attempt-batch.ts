import { type Context, isShuttingDown } from '../context.ts';
import type { HttpOutcome } from '../ports/outbound-http.ts';
import type { Batch, ClaimedDelivery } from './claim-deliveries.ts';
import { beginWithinMs } from './endpoint-leases.ts';
import { type RenderedObject, renderObjects } from './render-object.ts';
import { sign } from './signing.ts';
import { breakerFailures } from './webhook-endpoint.ts';

/** The version of the bodies' shape. A change that could break a receiver gets a new one. */
export const apiVersion = '2026-11-20';

/** One try and what came back. */
export interface Attempt {
  readonly delivery: ClaimedDelivery;
  readonly at: Date;
  readonly outcome: HttpOutcome;
}

export interface AttemptedBatch {
  /** In the order in which they ended. */
  readonly attempts: readonly Attempt[];
  /** What they are about is gone, so there is nothing to tell. */
  readonly withoutObject: readonly ClaimedDelivery[];
  /** Not begun, or cut short when the process had to end: to be given back. The latter may come twice. */
  readonly unfinished: readonly ClaimedDelivery[];
  readonly tookMs: number;
}

/**
 * Attempt the deliveries of a batch, as many at a time as its lease is wide. No further one is begun when the endpoint
 * keeps failing, when it is gone, when the batch has taken long, or when the process has to stop.
 */
export async function attemptBatch(ctx: Context, batch: Batch): Promise<AttemptedBatch> {
  const startedAt = ctx.clock.now().getTime();
  const tookMs = () => ctx.clock.now().getTime() - startedAt;
  const objects = await renderObjects(ctx, batch.deliveries);
  const queue = batch.deliveries.filter(({ objectId }) => objects.has(objectId));
  const withoutObject = batch.deliveries.filter(({ objectId }) => !objects.has(objectId));
  const attempts: Attempt[] = [];
  let { failuresInRow } = batch;
  let begun = 0;
  let gone = false;

  const mayBegin = () =>
    !gone && !isShuttingDown(ctx) && (failuresInRow < breakerFailures || batch.probe) && tookMs() < beginWithinMs;

  async function work(): Promise<void> {
    while (begun < queue.length && mayBegin()) {
      const delivery = queue[begun++];
      const object = delivery && objects.get(delivery.objectId);
      if (!delivery || !object) return;
      const at = ctx.clock.now();
      const outcome = await attempt(ctx, batch, delivery, object, at);
      if (!outcome) return;
      attempts.push({ delivery, at, outcome });
      failuresInRow = isSuccess(outcome) ? 0 : failuresInRow + 1;
      gone ||= isGone(outcome);
    }
  }
  await Promise.all(Array.from({ length: Math.min(batch.lease.width, queue.length) }, work));
  const attempted = new Set(attempts.map(({ delivery }) => delivery));
  const unfinished = queue.filter((delivery) => !attempted.has(delivery));
  return { attempts, withoutObject, unfinished, tookMs: tookMs() };
}

/** 2xx alone is success: a redirect is never followed. */
export function isSuccess(outcome: HttpOutcome): boolean {
  return outcome.kind === 'responded' && outcome.status >= 200 && outcome.status < 300;
}

export function isGone(outcome: HttpOutcome): boolean {
  return outcome.kind === 'responded' && outcome.status === 410;
}

/** `undefined` when the process had to stop in the middle: nobody knows how that ended. */
async function attempt(
  ctx: Context,
  { url, secrets }: Batch,
  delivery: ClaimedDelivery,
  object: RenderedObject,
  at: Date,
): Promise<HttpOutcome | undefined> {
  const body = bodyOf(ctx, delivery, object);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Storefront-Webhooks/1.0',
    ...sign(secrets, delivery.eventId, at, body),
  };
  try {
    return await ctx.ports.http.post(url, headers, body, ctx.signal);
  } catch (error) {
    if (ctx.signal?.aborted) return undefined;
    throw error;
  }
}

/** What a receiver reads (protocols.md §5). The object is as it is now; what its version is lower of, is older. */
function bodyOf(
  ctx: Context,
  { eventId, type, eventAt }: ClaimedDelivery,
  { object, version }: RenderedObject,
): string {
  return JSON.stringify({
    id: eventId,
    type,
    timestamp: eventAt.toISOString(),
    api_version: apiVersion,
    tenant: ctx.tenant.slug,
    livemode: ctx.settings.appMode === 'live',
    data: { object, object_version: version },
  });
}

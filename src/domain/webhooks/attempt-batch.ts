import { isKnownType } from '#src/outbox/events.ts';
import { type Context, inTurn, isShuttingDown } from '../context.ts';
import type { HttpOutcome } from '../ports/outbound-http.ts';
import type { Batch, ClaimedDelivery } from './claim-deliveries.ts';
import { bodyOf, unsignedHeaders } from './delivery-request.ts';
import { beginWithinMs } from './endpoint-leases.ts';
import { type RenderedObject, renderObjects } from './render-object.ts';
import { sign } from './signing.ts';
import { breakerFailures } from './webhook-endpoint.ts';

/** One attempt and its outcome. */
export interface Attempt {
  readonly delivery: ClaimedDelivery;
  /** The version of the object that was sent. */
  readonly objectVersion: number;
  readonly at: Date;
  readonly outcome: HttpOutcome;
}

export interface AttemptedBatch {
  /** In the order in which they ended. */
  readonly attempts: readonly Attempt[];
  /** Deliveries whose object no longer exists, so there is no body to send. */
  readonly withoutObject: readonly ClaimedDelivery[];
  /**
   * Not started, or interrupted by a shutdown: they become due again. The receiver may get an interrupted one twice.
   */
  readonly unfinished: readonly ClaimedDelivery[];
  readonly tookMs: number;
}

/**
 * Attempt the deliveries of a batch, with at most the lease's width in flight. Those of a type that only a newer release
 * knows are left to it: they are due again when the lease would end. No further attempt starts once the
 * endpoint keeps failing or is gone, the batch has taken too long, or the process is shutting down.
 */
export async function attemptBatch(ctx: Context, batch: Batch): Promise<AttemptedBatch> {
  const startedAt = ctx.clock.now().getTime();
  const tookMs = () => ctx.clock.now().getTime() - startedAt;
  const objects = await renderObjects(ctx, batch.deliveries);
  const known = batch.deliveries.filter(({ type }) => isKnownType(type));
  const queue = known.filter(({ objectId }) => objects.has(objectId));
  const withoutObject = known.filter(({ objectId }) => !objects.has(objectId));
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
      const made = await inTurn(ctx, async () => (mayBegin() ? attempt(ctx, batch, delivery, object) : undefined));
      if (!made) return;
      attempts.push(made);
      failuresInRow = isSuccess(made.outcome) ? 0 : failuresInRow + 1;
      gone ||= isGone(made.outcome);
    }
  }
  await Promise.all(Array.from({ length: Math.min(batch.lease.width, queue.length) }, work));
  const attempted = new Set(attempts.map(({ delivery }) => delivery));
  const unfinished = queue.filter((delivery) => !attempted.has(delivery));
  const { leasedUntil: dueAt } = batch.lease;
  const unknown = batch.deliveries.filter(({ type }) => !isKnownType(type)).map((each) => ({ ...each, dueAt }));
  return { attempts, withoutObject, unfinished: [...unfinished, ...unknown], tookMs: tookMs() };
}

/** Only 2xx is a success. Redirects are not followed. */
export function isSuccess(outcome: HttpOutcome): boolean {
  return outcome.kind === 'responded' && outcome.status >= 200 && outcome.status < 300;
}

export function isGone(outcome: HttpOutcome): boolean {
  return outcome.kind === 'responded' && outcome.status === 410;
}

/** @returns `undefined` when a shutdown interrupted the request, so that its outcome is unknown */
async function attempt(
  ctx: Context,
  { url, secrets }: Batch,
  delivery: ClaimedDelivery,
  object: RenderedObject,
): Promise<Attempt | undefined> {
  const at = ctx.clock.now();
  const body = bodyOf(ctx, delivery, object);
  const headers = { ...unsignedHeaders, ...sign(secrets, delivery.eventId, at, body) };
  try {
    const outcome = await ctx.ports.http.post(url, headers, body, ctx.signal);
    return { delivery, objectVersion: object.version, at, outcome };
  } catch (error) {
    if (ctx.signal?.aborted) return undefined;
    throw error;
  }
}

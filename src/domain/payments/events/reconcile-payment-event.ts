import { reconcilePaymentEvent as reconcilePaymentEventJob } from '#jobs/payments.ts';
import { completeJob, failJob, readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { ManualActionRequired, ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../../context.ts';
import type { PaymentSubject } from '../../ports/payment-gateway.ts';
import { type StoredAccount, unseal } from '../accounts/payment-account.ts';
import { attemptsMax, type ProviderFailureReport, providerFailureOf, retryWaitMs } from '../provider-calls.ts';
import { applySnapshot } from '../snapshots/apply-snapshot.ts';
import { type ApplyResult, fetchSnapshot, mayBeForeign } from '../snapshots/fetch-snapshot.ts';

/** How long an event may arrive before its order: the order's own transaction may still be under way. */
const unknownOrderMs = hours(1);

/** One attempt to reconcile an event. */
interface EventAttempt {
  readonly eventId: string;
  readonly attempt: number;
}

/**
 * Reconcile one event: fetch its object from the provider and apply the snapshot. While the provider fails, the next
 * attempt is a job of its own, later each time, so the failures cost no attempt of this job.
 *
 * @throws ManualActionRequired when its order is still unknown after an hour, or the account does not have its object. A
 *   retry looks for it again.
 */
export async function reconcilePaymentEvent(ctx: Context, { eventId, attempt }: EventAttempt): Promise<void> {
  const event = await readEvent(ctx, eventId);
  if (event?.state !== 'pending' && event?.state !== 'unknown_order') return;

  const snapshot = await fetchCurrent(ctx, event);
  if (snapshot instanceof Error) return retryLater(ctx, { eventId, attempt }, snapshot);

  const isLate = ctx.clock.now().getTime() - event.receivedAt.getTime() > unknownOrderMs;
  const failure = snapshot
    ? `Event ${eventId} names an order that does not exist or was not paid. Look up the event at the payment provider.`
    : `Event ${eventId} is about an object that the store's account at the payment provider does not have. ` +
      'If it had another account before, save the key of that one and retry this job.';
  const hasFailed = await transact(ctx, async (ctx) => {
    const applied = snapshot
      ? await applySnapshot(ctx, snapshot)
      : mayBeForeign(event.subject)
        ? 'ignored'
        : 'unknown_order';
    if (applied === 'unknown_order' && isLate) {
      await failJob(ctx, failure, async (ctx) => recordOutcome(ctx, eventId, applied));
      return true;
    }
    await completeJob(ctx, async (ctx) => {
      if (applied === 'unknown_order') enqueueNext(ctx, { eventId, attempt }, minutes(1));
      else recordOutcome(ctx, eventId, applied);
    });
    return false;
  });
  if (hasFailed) throw new ManualActionRequired(failure);
}

/** A stored event, with the account of its store. */
interface KnownEvent extends StoredAccount {
  readonly state: string;
  readonly subject: PaymentSubject;
  readonly objectId: string;
  readonly receivedAt: Date;
}

async function readEvent(ctx: Context, id: string): Promise<KnownEvent | undefined> {
  return readOne<KnownEvent>(
    ctx,
    sql`
    select e.state, e.subject, e.object_id as "objectId", e.received_at as "receivedAt", a.mode,
      a.secret_key_sealed as "secretKeySealed"
    from payment_events e left join payment_accounts a on a.tenant_id = ${ctx.tenant.id}
    where e.tenant_id = ${ctx.tenant.id} and e.id = ${id}`,
  );
}

/** The snapshot, or why it cannot be fetched for now. */
async function fetchCurrent(ctx: Context, event: KnownEvent) {
  try {
    return await fetchSnapshot(ctx, unseal(ctx, event), event.subject, event.objectId);
  } catch (error) {
    const failure = providerFailureOf(error);
    if (failure instanceof ProviderError && failure.failure === 'refused') throw failure;
    return failure;
  }
}

async function retryLater(ctx: Context, work: EventAttempt, reason: ProviderFailureReport): Promise<void> {
  if (work.attempt >= attemptsMax) {
    throw new ManualActionRequired(`Event ${work.eventId} could not be reconciled for days: ${reason.message}`);
  }
  await completeJob(ctx, async (ctx) => enqueueNext(ctx, work, retryWaitMs(work.attempt, reason)));
}

function enqueueNext(ctx: InTransaction, { eventId, attempt }: EventAttempt, waitMs: number): void {
  enqueue(ctx, reconcilePaymentEventJob, { eventId, attempt: attempt + 1 }, { dueAt: fromNow(ctx.clock, waitMs) });
}

function recordOutcome(ctx: InTransaction, eventId: string, state: ApplyResult): void {
  ctx.tx.changes.push(sql`
    update payment_events set state = ${state}, settled_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${eventId} and state in ('pending', 'unknown_order')`);
}

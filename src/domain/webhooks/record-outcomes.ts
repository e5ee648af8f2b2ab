import { isEmailAddress } from '#src/lib/email-address.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import type { HttpOutcome } from '../ports/outbound-http.ts';
import { type Attempt, type AttemptedBatch, isGone, isSuccess } from './attempt-batch.ts';
import type { Batch } from './claim-deliveries.ts';
import { wakeEveryLease } from './endpoint-wakes.ts';
import { discardPending } from './redeliver.ts';
import { waitAfter } from './wait-after.ts';
import type { Consequences, DisabledReason, WebhookEndpoint } from './webhook-endpoint.ts';

/**
 * Record the outcomes of a batch: a row for each attempt, each delivery's next state, and what follows for the
 * endpoint's breaker and its owner. It takes two statements however many deliveries there are. A delivery that another
 * drain has claimed since then is left to that drain.
 */
export async function recordOutcomes(
  ctx: InTransaction,
  endpoint: WebhookEndpoint,
  batch: Batch,
  result: AttemptedBatch,
): Promise<void> {
  const now = ctx.clock.now();
  const outcomes = result.attempts.map((attempt) => outcomeOf(ctx, attempt, now));
  await writeOutcomes(ctx, batch, outcomes, now);
  await releaseUnfinished(ctx, batch, result);
  if (outcomes.length === 0) {
    if (batch.probe) endpoint.returnProbe(now);
    return;
  }

  const consequences = endpoint.recordResults(
    result.attempts.map(({ at, outcome }) => ({ at, ok: isSuccess(outcome), gone: isGone(outcome) })),
    now,
    {
      probe: batch.probe,
      firstOpenMs: ctx.settings.breakerOpenMs,
      nextStepMs: Math.min(...outcomes.map(({ waitMs }) => waitMs ?? Infinity)),
    },
  );
  applyConsequences(ctx, endpoint, consequences);
  if (endpoint.disabledAt) await discardPending(ctx, endpoint.id);
}

interface Outcome {
  readonly id: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly number: number;
  readonly round: number;
  readonly objectVersion: number;
  readonly at: Date;
  readonly waitMs: number | undefined;
  readonly nextAttemptAt: Date | null;
  readonly status: number | null;
  readonly failure: string | null;
  readonly durationMs: number;
  readonly response: string | null;
}

function outcomeOf(ctx: InTransaction, { delivery, objectVersion, at, outcome }: Attempt, now: Date): Outcome {
  const round = delivery.roundCount + 1;
  const waitMs =
    isSuccess(outcome) || isGone(outcome)
      ? undefined
      : waitAfter(ctx.settings.webhookRetryScheduleMs, round, retryAfterOf(outcome), Math.random());
  return {
    id: delivery.id,
    state: isSuccess(outcome) ? 'delivered' : waitMs === undefined ? 'failed' : 'pending',
    number: delivery.attemptCount + 1,
    round,
    objectVersion,
    at,
    waitMs,
    nextAttemptAt: waitMs === undefined ? null : new Date(now.getTime() + waitMs),
    status: outcome.kind === 'responded' ? outcome.status : null,
    failure: outcome.kind === 'failed' ? outcome.reason : null,
    durationMs: outcome.durationMs,
    response: outcome.kind === 'responded' ? outcome.body : null,
  };
}

/** Retry-After counts only with the two statuses that mean "not now". */
function retryAfterOf(outcome: HttpOutcome): number | undefined {
  return outcome.kind === 'responded' && [429, 503].includes(outcome.status) ? outcome.retryAfterSeconds : undefined;
}

async function writeOutcomes(
  ctx: InTransaction,
  { lease }: Batch,
  outcomes: readonly Outcome[],
  now: Date,
): Promise<void> {
  if (outcomes.length === 0) return;
  await ctx.tx.execute(sql`
    with outcome as (
      select * from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as o(
        id text, state text, number int, round int, at timestamptz, "nextAttemptAt" timestamptz, status int,
        failure text, "durationMs" int, response text, "objectVersion" int)),
    updated as (
      update webhook_deliveries d
      set state = o.state, attempt_count = o.number, round_count = o.round, next_attempt_at = o."nextAttemptAt",
        last_status = o.status, last_failure = o.failure, lease_token = null,
        finished_at = case when o.state = 'pending' then null else ${now}::timestamptz end
      from outcome o
      where d.tenant_id = ${ctx.tenant.id} and d.id = o.id and d.lease_token = ${lease.token}
      returning d.id)
    insert into webhook_attempts (tenant_id, delivery_id, number, at, status, failure, duration_ms, response,
      object_version)
    select ${ctx.tenant.id}, o.id, o.number, o.at, o.status, o.failure, o."durationMs", o.response, o."objectVersion"
    from outcome o join updated on updated.id = o.id`);
}

/** Make unfinished deliveries due as before, and discard those whose object no longer exists. */
async function releaseUnfinished(
  ctx: InTransaction,
  { lease }: Batch,
  { unfinished, withoutObject }: AttemptedBatch,
): Promise<void> {
  if (unfinished.length > 0) {
    await ctx.tx.execute(sql`
      update webhook_deliveries d set next_attempt_at = u."dueAt", lease_token = null
      from jsonb_to_recordset(${JSON.stringify(unfinished)}::jsonb) as u(id text, "dueAt" timestamptz)
      where d.tenant_id = ${ctx.tenant.id} and d.id = u.id and d.lease_token = ${lease.token} and d.state = 'pending'`);
  }
  if (withoutObject.length > 0) {
    await ctx.tx.execute(sql`
      update webhook_deliveries set state = 'discarded', next_attempt_at = null, lease_token = null,
        last_failure = 'object_gone', finished_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and id = any(${withoutObject.map(({ id }) => id)})
        and lease_token = ${lease.token}`);
  }
}

function applyConsequences(ctx: InTransaction, endpoint: WebhookEndpoint, consequences: Consequences): void {
  const { recovered, warn, disabled } = consequences;
  if (recovered) wakeEveryLease(ctx, endpoint);
  if (warn || disabled) warnOwner(ctx, endpoint, disabled);
}

/** Email the store's owner that an endpoint is failing or was disabled for it. */
function warnOwner(ctx: InTransaction, endpoint: WebhookEndpoint, disabled: DisabledReason | null): void {
  // The endpoint keeps working without the warning when the owner's email address is not valid.
  if (!isEmailAddress(ctx.tenant.ownerEmail)) return;
  const { origin, pathname } = new URL(endpoint.url);
  enqueueMail(ctx, {
    kind: 'endpoint_warning',
    to: ctx.tenant.ownerEmail,
    subjectId: endpoint.id,
    data: {
      url: origin + pathname,
      failing_since: endpoint.failingSince?.toISOString() ?? null,
      disabled: disabled === 'owner' ? null : disabled,
    },
  });
}

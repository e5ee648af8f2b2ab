import { removeDiscount } from '#jobs/payments.ts';
import { readOne, write } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, minutes, seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../../context.ts';
import type { CreatedSession, SessionRequest } from '../../ports/payment-gateway.ts';
import type { Subscribing } from './selling-terms.ts';

/** No session lives longer at the provider than this without being paid. */
export const sessionLifeMs = days(1);
/** Longer than any request lasts: a session that is still without a response then belongs to a failed request. */
export const requestMs = seconds(30);
/** A bank takes at most this long for a slow payment; until then the order keeps its holds. */
export const slowPaymentMs = days(14);

/**
 *   creating     the order is stored, the provider has not responded yet
 *   open         it can be paid
 *   processing   the money is on its way
 *   settled | failed | expired   it is over
 *   mismatched   the amount that was paid is not the amount due: an operator decides
 */
export type PaymentSessionState = 'creating' | 'open' | 'processing' | 'settled' | 'failed' | 'expired' | 'mismatched';

/**
 * The stored session of an order. `checkAt` is when it is repaired (`creating`) or checked next, and null once its state
 * is final: most orders are paid before it. `checks` counts the jobs that were enqueued for that.
 */
export interface PaymentSession {
  readonly orderId: string;
  readonly state: PaymentSessionState;
  readonly request: SessionRequest;
  readonly idempotencyKey: string;
  readonly supersededAt: Date | null;
  readonly sessionId: string | null;
  readonly url: string | null;
  readonly checks: number;
  readonly checkAt: Date | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface NewPaymentSession {
  readonly request: SessionRequest;
  readonly idempotencyKey: string;
  /** Identifies the API request, so that a repeat of it finds the session. */
  readonly requestKey: string | null;
  /** Whose session it is (`cart:…`, `email:…`): each of them has one open session at a time. */
  readonly subject: string | null;
  /** `null`: it begins no subscription, or the shopper's email is not known yet. */
  readonly subscribing: Subscribing | null;
  /** Later than any attempt of the request: a session that has no response then is repaired. */
  readonly repairAt: Date;
  readonly expiresAt: Date;
}

/** Store the session. Call it in the transaction that creates the order. */
export async function insertSession(ctx: InTransaction, session: NewPaymentSession): Promise<PaymentSession> {
  const now = ctx.clock.now();
  const { orderId } = session.request;
  await ctx.tx.execute(sql`
    insert into payment_sessions (tenant_id, order_id, state, request, idempotency_key, request_key, subject, subscriber,
      subscribes, check_at, created_at, expires_at)
    values (${ctx.tenant.id}, ${orderId}, 'creating', ${JSON.stringify(session.request)}::json, ${session.idempotencyKey},
      ${session.requestKey}, ${session.subject}, ${session.subscribing?.subscriber ?? null},
      ${session.subscribing?.productIds ?? null}, ${session.repairAt}, ${now}, ${session.expiresAt})`);
  const { request, idempotencyKey, repairAt: checkAt, expiresAt } = session;
  return {
    orderId,
    state: 'creating',
    request,
    idempotencyKey,
    supersededAt: null,
    sessionId: null,
    url: null,
    checks: 0,
    checkAt,
    createdAt: now,
    expiresAt,
  };
}

const sessionColumns = sql`
  order_id as "orderId", state, request, idempotency_key as "idempotencyKey", superseded_at as "supersededAt",
  provider_session_id as "sessionId", url, checks, check_at as "checkAt", created_at as "createdAt",
  expires_at as "expiresAt"`;

export async function readSession(ctx: Context, orderId: string): Promise<PaymentSession | undefined> {
  return readOne<PaymentSession>(
    ctx,
    sql`
    select ${sessionColumns} from payment_sessions where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`,
  );
}

/**
 * Record that the provider created the session, which is checked from now on.
 * @returns the URL of the payment page; `undefined` when the shopper requested another session meanwhile: then a check
 *   that is due now closes this one
 */
export async function markOpened(
  ctx: Context,
  session: PaymentSession,
  { sessionId, url }: CreatedSession,
): Promise<string | undefined> {
  const [row] = await write<{ url: string }>(
    ctx,
    sql`
    opened as (
      update payment_sessions set state = 'open', provider_session_id = coalesce(provider_session_id, ${sessionId}),
        url = coalesce(url, ${url}),
        check_at = case when superseded_at is null then ${nextCheck(ctx, session)}::timestamptz
          else ${ctx.clock.now()} end
      where tenant_id = ${ctx.tenant.id} and order_id = ${session.orderId} and state in ('creating', 'open')
      returning url, superseded_at)`,
    sql`
    select url from opened where superseded_at is null`,
  );
  return row?.url;
}

/** Make a check due now: it closes a superseded session. */
export const closeSoon = (ctx: InTransaction, session: PaymentSession): Promise<void> => checkLater(ctx, session, 0);

/**
 * Give up an unopened session because its shopper wants another one. Its URL will not be returned to anyone, it
 * conflicts with no other session, and a repeat of its request creates a new order. It is repaired soon, which closes it.
 * @returns `false` where the provider responded just now
 */
export async function markSuperseded(ctx: InTransaction, orderId: string): Promise<boolean> {
  const rows = await ctx.tx.execute(sql`
    update payment_sessions set superseded_at = coalesce(superseded_at, ${ctx.clock.now()}), request_key = null,
      check_at = least(check_at, ${fromNow(ctx.clock, requestMs)})
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and state = 'creating' returning 1`);
  return rows.length > 0;
}

/**
 * End a session without a snapshot of it.
 * @returns whether its state was still the one that was read
 */
export async function markOver(
  ctx: InTransaction,
  { orderId, state, request }: PaymentSession,
  over: 'failed' | 'expired',
): Promise<boolean> {
  const rows = await ctx.tx.execute(sql`
    update payment_sessions set state = ${over}, check_at = null
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and state = ${state} returning 1`);
  if (rows.length > 0) enqueueDiscountRemoval(ctx, orderId, request);
  return rows.length > 0;
}

/** The discount that was made at the provider for a session is of no use after the session's end. */
export function enqueueDiscountRemoval(
  ctx: InTransaction,
  orderId: string,
  { discountCents }: { discountCents: number },
): void {
  if (discountCents > 0) enqueue(ctx, removeDiscount, { orderId });
}

/**
 * Set when the session is checked or repaired next, unless it is over. Call it in the transaction that records the
 * outcome of the last check.
 */
export async function checkLater(ctx: InTransaction, session: PaymentSession, waitMs?: number): Promise<void> {
  const checkAt = waitMs === undefined ? nextCheck(ctx, session) : fromNow(ctx.clock, waitMs);
  // With `check_at is not null` as a condition, PostgreSQL may read the index of all sessions that are due.
  await ctx.tx.execute(sql`
    update payment_sessions set check_at = case when check_at is not null then ${checkAt}::timestamptz end
    where tenant_id = ${ctx.tenant.id} and order_id = ${session.orderId}`);
}

/**
 * Resume the checks of a session that was ended without a snapshot and whose money is on its way after all. A session
 * that the provider itself let expire cannot be paid, so this never undoes what a snapshot said.
 */
export async function resumeChecks(ctx: InTransaction, orderId: string): Promise<void> {
  await ctx.tx.execute(sql`
    update payment_sessions set state = 'processing', check_at = ${fromNow(ctx.clock, slowlyMs)}
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and state = 'expired'`);
}

const afterExpiryMs = seconds(1);
const slowlyMs = hours(1);

/** A session past its end is checked every minute at first; a slow payment, every hour. */
function nextCheck(ctx: Context, { createdAt, expiresAt }: Pick<PaymentSession, 'createdAt' | 'expiresAt'>): Date {
  const now = ctx.clock.now().getTime();
  const moments = ctx.settings.paymentPollScheduleMs.map((wait) => createdAt.getTime() + wait);
  const next = [...moments, expiresAt.getTime() + afterExpiryMs].filter((moment) => moment > now);
  if (next.length > 0) return new Date(Math.min(...next));
  return new Date(now + (now - expiresAt.getTime() < minutes(10) ? minutes(1) : slowlyMs));
}

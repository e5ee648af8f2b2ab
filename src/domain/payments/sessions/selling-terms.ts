import { readOne } from '#src/database/transact.ts';
import { awaitAll } from '#src/lib/await-all.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../../context.ts';
import { paymentCustomerIdOf } from '../../customers/index.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { type LiveSubscription, liveSubscriptionsOf } from '../../subscriptions/index.ts';
import { notConfigured, type StoredAccount, unseal } from '../accounts/open-account.ts';

/** What a checkout has to know of payments before it begins: the account, and what the caller has going already. */
export interface SellingTerms {
  readonly account: PaymentAccount;
  readonly sessionLifetimeMs: number;
  readonly automaticTax: boolean;
  /** The order of the caller's own session that can still be paid. */
  readonly liveOrderId: string | null;
  /** The sessions that can still be paid and would subscribe the caller's address to something. */
  readonly subscribingSessions: readonly SubscribingSession[];
  /** What the caller's address is subscribed to, whatever product it is. */
  readonly liveSubscriptions: readonly LiveSubscription[];
  /** What the provider calls the customer with the caller's address, where that is known. */
  readonly paymentCustomerId: string | null;
  /** The order that an earlier try of this very request made. */
  readonly earlierOrderId: string | null;
}

/** Whose session it is to be, for which request, and by when they have waited long enough. */
interface CheckoutCaller {
  readonly subject: string | null;
  readonly requestKey: string | null;
  readonly email: string | null;
  readonly endsAt: number;
}

interface TermsRow extends Omit<SellingTerms, 'account'>, StoredAccount {}

/**
 * Read it with one statement.
 * @throws DomainError unavailable `payment_provider_not_configured` in connect mode and without a key
 */
export async function sellingTerms(
  ctx: Context,
  { subject, requestKey, email, endsAt }: CheckoutCaller,
): Promise<SellingTerms> {
  const row = await readOne<TermsRow>(
    ctx,
    sql`
    select a.mode, a.secret_key_sealed as "secretKeySealed", a.session_lifetime_ms as "sessionLifetimeMs",
      a.automatic_tax as "automaticTax",
      (select order_id from payment_sessions where tenant_id = ${ctx.tenant.id} and subject = ${subject}
        and state in ('creating', 'open') and superseded_at is null limit 1) as "liveOrderId",
      (select order_id from payment_sessions where tenant_id = ${ctx.tenant.id} and request_key = ${requestKey}
        and state in ('creating', 'open')) as "earlierOrderId",
      ${subscribingSessionsOf(ctx, email)} as "subscribingSessions",
      ${liveSubscriptionsOf(ctx, email)} as "liveSubscriptions", ${paymentCustomerIdOf(ctx, email)} as "paymentCustomerId"
    from payment_accounts a where a.tenant_id = ${ctx.tenant.id}`,
  );
  if (!row) throw notConfigured();
  const { mode, secretKeySealed, ...terms } = row;
  return { account: { ...unseal(ctx, { mode, secretKeySealed }), endsAt }, ...terms };
}

/** Whose subscriptions a session would begin, by the address that its checkout was given, and to which products. */
export interface Subscribing {
  /** Trimmed, lower case. */
  readonly subscriber: string;
  readonly productIds: readonly string[];
}

/** A session that can be paid and would begin subscriptions. */
export interface SubscribingSession {
  readonly orderId: string;
  readonly productIds: readonly string[];
}

const canBePaid = sql`state in ('creating', 'open') and superseded_at is null`;

/** All of this address, as JSON, as a part of another statement. */
const subscribingSessionsOf = (ctx: Context, email: string | null): Sql => sql`
  (select coalesce(json_agg(json_build_object('orderId', order_id, 'productIds', subscribes) order by order_id), '[]')
    from payment_sessions where tenant_id = ${ctx.tenant.id} and subscriber = ${email} and ${canBePaid})`;

/**
 * Whether another session that can be paid would begin one of these. Nobody else is answered for this address until the
 * transaction is over, so the one after this sees what this one did. Call it first of all.
 */
export async function isBeingSubscribed(ctx: InTransaction, { subscriber, productIds }: Subscribing): Promise<boolean> {
  const lock = `subscriber ${ctx.tenant.id} ${subscriber}`;
  const locked = ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
  const [, others] = await awaitAll(
    locked,
    ctx.tx.execute(sql`
    select 1 from payment_sessions where tenant_id = ${ctx.tenant.id} and subscriber = ${subscriber}
      and subscribes && ${productIds} and ${canBePaid} limit 1`),
  );
  return others.length > 0;
}

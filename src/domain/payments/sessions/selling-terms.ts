import { lockName } from '#src/database/lock-names.ts';
import { readOne } from '#src/database/transact.ts';
import { awaitAll } from '#src/lib/await-all.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../../context.ts';
import { paymentCustomerIdOf } from '../../customers/index.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { type ShippingOptions, shippingOptionsOf } from '../../shipping/index.ts';
import { type LiveSubscription, liveSubscriptionsOf } from '../../subscriptions/index.ts';
import { notConfigured, type StoredAccount, unseal } from '../accounts/payment-account.ts';

/**
 * What a checkout needs before it begins: the payment account, the caller's open sessions and subscriptions, and the
 * store's shipping options.
 */
export interface SellingTerms {
  readonly account: PaymentAccount;
  readonly sessionLifetimeMs: number;
  readonly automaticTax: boolean;
  /** The order of the caller's session that can still be paid. */
  readonly liveOrderId: string | null;
  /** The sessions that can still be paid and would begin a subscription of the caller's email. */
  readonly subscribingSessions: readonly SubscribingSession[];
  /** The live subscriptions of the caller's email, to any product. */
  readonly liveSubscriptions: readonly LiveSubscription[];
  /** The provider's id of the customer with the caller's email, where that is known. */
  readonly paymentCustomerId: string | null;
  /** The order that an earlier attempt of the same request created. */
  readonly earlierOrderId: string | null;
  /** Where the store ships to; null where it has no shipping settings. */
  readonly shipping: ShippingOptions | null;
}

/** Whose session it will be, for which request, and the deadline of the caller. */
interface CheckoutCaller {
  readonly subject: string | null;
  readonly requestKey: string | null;
  readonly email: string | null;
  readonly endsAt: number;
}

interface TermsRow extends Omit<SellingTerms, 'account'>, StoredAccount {}

/**
 * Read the terms with one statement.
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
      (select order_id from payment_sessions
        where tenant_id = ${ctx.tenant.id} and subject = ${subject} and ${canBePaid} limit 1) as "liveOrderId",
      (select order_id from payment_sessions where tenant_id = ${ctx.tenant.id} and request_key = ${requestKey}
        and state in ('creating', 'open')) as "earlierOrderId",
      ${subscribingSessionsOf(ctx, email)} as "subscribingSessions",
      ${liveSubscriptionsOf(ctx, email)} as "liveSubscriptions", ${paymentCustomerIdOf(ctx, email)} as "paymentCustomerId",
      ${shippingOptionsOf(ctx)} as shipping
    from payment_accounts a where a.tenant_id = ${ctx.tenant.id}`,
    { brief: true },
  );
  if (!row) throw notConfigured();
  const { mode, secretKeySealed, ...terms } = row;
  return { account: { ...unseal(ctx, { mode, secretKeySealed }), endsAt }, ...terms };
}

/** The subscriptions that a session would begin: of the email that was given at checkout, to these products. */
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

/** The open sessions of this email that would begin subscriptions, as JSON, as a subquery for another statement. */
const subscribingSessionsOf = (ctx: Context, email: string | null): Sql => sql`
  (select coalesce(json_agg(json_build_object('orderId', order_id, 'productIds', subscribes) order by order_id), '[]')
    from payment_sessions where tenant_id = ${ctx.tenant.id} and subscriber = ${email} and ${canBePaid})`;

/**
 * Whether another open session would begin one of these subscriptions. It locks the email until the transaction ends,
 * so of two checkouts at once the second sees the session of the first. Call it first in the transaction.
 */
export async function isBeingSubscribed(ctx: InTransaction, { subscriber, productIds }: Subscribing): Promise<boolean> {
  const [, others] = await awaitAll(
    lockName(ctx, 'subscriber', subscriber),
    ctx.tx.execute(sql`
    select 1 from payment_sessions where tenant_id = ${ctx.tenant.id} and subscriber = ${subscriber}
      and subscribes && ${productIds} and ${canBePaid} limit 1`),
  );
  return others.length > 0;
}

import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { paymentCustomerIdOf } from '../customers/index.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import { type LiveSubscription, liveSubscriptionsOf } from '../subscriptions/index.ts';
import { notConfigured, type StoredAccount, unseal } from './open-account.ts';
import { type SubscribingSession, subscribingSessionsOf } from './subscribing.ts';

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

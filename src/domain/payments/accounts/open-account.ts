import { readOne } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { sealedFields } from './payment-account.ts';

/** What a row of `payment_accounts` says to whoever wants to sell. */
export interface StoredAccount {
  /** `null` where the store has none. */
  readonly mode: 'direct' | 'connect' | null;
  readonly secretKeySealed: string | null;
}

/**
 * The store's account at the payment provider, opened for one use.
 * @throws DomainError unavailable `payment_provider_not_configured`
 */
export async function openAccount(ctx: Context): Promise<PaymentAccount> {
  const stored = await readOne<StoredAccount>(
    ctx,
    sql`
    select mode, secret_key_sealed as "secretKeySealed" from payment_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  return unseal(ctx, stored);
}

/** Only `direct` mode sells: with `connect` there is no key of the store's on file. */
export function unseal(ctx: Context, stored: StoredAccount | undefined): PaymentAccount {
  if (stored?.mode !== 'direct' || !stored.secretKeySealed) throw notConfigured();
  return {
    tenantId: ctx.tenant.id,
    secretKey: ctx.keyring.open(ctx.tenant.id, sealedFields.secretKey, stored.secretKeySealed),
  };
}

export function notConfigured(cause?: unknown): DomainError {
  return new DomainError(
    'unavailable',
    'payment_provider_not_configured',
    'This store cannot take payments at the moment.',
    { cause },
  );
}

/** The key that a storefront's own page may know, as a part of another statement; null where the store has none. */
export const publishableKeyOf = (ctx: Context): Sql => sql`
  (select publishable_key from payment_accounts where tenant_id = ${ctx.tenant.id})`;

/** How long somebody who waits for the payment provider waits in all, however much it is asked. */
const callerDeadlineMs = seconds(17);

/** When somebody who begins to wait now has waited long enough. */
export const deadlineAt = (): number => performance.now() + callerDeadlineMs;

/** An account by which everything is asked for somebody who waits. */
export const whileCallerWaits = (account: PaymentAccount): PaymentAccount => ({ ...account, endsAt: deadlineAt() });

import { readOne } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { sealedFields } from './payment-account.ts';

/** The columns of `payment_accounts` that opening the account needs. */
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

/** Only `direct` mode can sell: in `connect` mode the store has no key of its own on file. */
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

/** The publishable key as a subquery for another statement; null where the store has none. */
export const publishableKeyOf = (ctx: Context): Sql => sql`
  (select publishable_key from payment_accounts where tenant_id = ${ctx.tenant.id})`;

/** How long a caller waits for the payment provider in all, however many calls its request takes. */
const callerDeadlineMs = seconds(17);

/** When the time of a caller who begins to wait now is over, as of `performance.now()`. */
export const deadlineAt = (): number => performance.now() + callerDeadlineMs;

/** The account with the deadline of a caller who waits: all calls with it share that deadline. */
export const whileCallerWaits = (account: PaymentAccount): PaymentAccount => ({ ...account, endsAt: deadlineAt() });

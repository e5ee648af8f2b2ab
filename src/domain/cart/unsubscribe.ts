import { sha256 } from '#src/lib/crypto.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { readOne, write } from '../database.ts';

export type MailPreference = 'subscribed' | 'unsubscribed';

/**
 * The address that this token was made for gets no more reminders from this store. Twice is once.
 * @throws DomainError `invalid_or_expired_token`
 */
export async function unsubscribe(ctx: Context, token: string): Promise<MailPreference> {
  const rows = await write(ctx, sql`
    preference as (
      update mail_preferences set unsubscribed_at = coalesce(unsubscribed_at, ${ctx.clock.now()}::timestamptz)
      where tenant_id = ${ctx.tenant.id} and unsubscribe_token_hash = ${sha256(token)}
      returning email)`, sql`
    select email from preference`);
  if (rows.length === 0) throw unknownToken();
  return 'unsubscribed';
}

/**
 * Whether the address that this token was made for gets reminders. Changes nothing: mail scanners follow links.
 * @throws DomainError `invalid_or_expired_token`
 */
export async function readMailPreference(ctx: Context, token: string): Promise<MailPreference> {
  const preference = await readOne<{ unsubscribedAt: Date | null }>(ctx, sql`
    select unsubscribed_at as "unsubscribedAt" from mail_preferences
    where tenant_id = ${ctx.tenant.id} and unsubscribe_token_hash = ${sha256(token)}`);
  if (!preference) throw unknownToken();
  return preference.unsubscribedAt ? 'unsubscribed' : 'subscribed';
}

/** Whether somebody at this address asked not to be reminded by this store. */
export async function isUnsubscribed(ctx: Context, email: string): Promise<boolean> {
  const row = await readOne(ctx, sql`
    select 1 as found from mail_preferences
    where tenant_id = ${ctx.tenant.id} and email = ${normaliseEmail(email)} and unsubscribed_at is not null`);
  return row !== undefined;
}

/** The refusal of a token that unsubscribes nobody. */
export function unknownToken(): DomainError {
  return new DomainError('invalid', 'invalid_or_expired_token', 'This link is not valid, or no longer.');
}

import { readOne, writeRows } from '#src/database/transact.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { invalidOrExpired } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { nameInLog } from '../name-in-log.ts';

export type MailPreference = 'subscribed' | 'unsubscribed';

/**
 * Unsubscribe the email that a token was made for from this store's reminders. Idempotent. The lock lets it wait while
 * the person is erased.
 * @throws DomainError `invalid_or_expired_token`
 */
export async function unsubscribe(ctx: Context, token: string): Promise<MailPreference> {
  const rows = await writeRows(
    ctx,
    sql`
    insert into mail_preferences as known (tenant_id, email, unsubscribed_at)
    select tenant_id, email, ${ctx.clock.now()}::timestamptz from unsubscribe_links
    where tenant_id = ${ctx.tenant.id} and token_hash = ${sha256(token)}
    for key share
    on conflict (tenant_id, email) do update set unsubscribed_at = known.unsubscribed_at
    returning email`,
  );
  if (rows.length === 0) throw invalidOrExpired('link');
  return 'unsubscribed';
}

/** Whether an email gets no reminders. Of who was erased, only the pseudonym of the email is known. */
export async function isUnsubscribed(ctx: Context, email: string): Promise<boolean> {
  const row = await readOne<{ found: boolean }>(
    ctx,
    sql`
    select exists (select from mail_preferences
      where tenant_id = ${ctx.tenant.id} and email = any(${[email, nameInLog(ctx, email)]}::text[])) as found`,
  );
  return row?.found === true;
}

/**
 * Whether the email that a token was made for gets reminders. Changes nothing, because mail scanners follow links.
 * @throws DomainError `invalid_or_expired_token`
 */
export async function readMailPreference(ctx: Context, token: string): Promise<MailPreference> {
  const preference = await readOne<{ unsubscribedAt: Date | null }>(
    ctx,
    sql`
    select p.unsubscribed_at as "unsubscribedAt" from unsubscribe_links l
    left join mail_preferences p on p.tenant_id = l.tenant_id and p.email = l.email
    where l.tenant_id = ${ctx.tenant.id} and l.token_hash = ${sha256(token)}`,
  );
  if (!preference) throw invalidOrExpired('link');
  return preference.unsubscribedAt ? 'unsubscribed' : 'subscribed';
}

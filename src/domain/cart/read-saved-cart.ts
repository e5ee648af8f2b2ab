import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { type SavedLine, savedLines } from './saved-lines.ts';

/** A saved cart as it stands, for whoever thinks of reminding of it. */
export interface SavedCartRecord {
  readonly id: string;
  readonly email: string;
  readonly currency: string;
  readonly consent: boolean;
  readonly savedAt: Date;
  readonly expiresAt: Date;
  /** Since when it is done with, because somebody bought. */
  readonly convertedAt: Date | null;
  /** Whether another cart was saved for the address since. */
  readonly isOutdated: boolean;
  /** Whether the address asked not to be reminded. */
  readonly isUnsubscribed: boolean;
  readonly lines: readonly SavedLine[];
}

/** The saved cart with this id and all that is known of it now, in one statement. */
export async function readSavedCart(ctx: Context, id: string): Promise<SavedCartRecord | undefined> {
  return readOne<SavedCartRecord>(
    ctx,
    sql`
    select s.id, s.email, s.currency, s.consent, s.saved_at as "savedAt", s.expires_at as "expiresAt",
      s.converted_at as "convertedAt",
      exists (select from saved_carts newer where newer.tenant_id = s.tenant_id and newer.email = s.email
        and (newer.saved_at, newer.id) > (s.saved_at, s.id)) as "isOutdated",
      exists (select from mail_preferences p where p.tenant_id = s.tenant_id and p.email = s.email) as "isUnsubscribed",
      ${savedLines} as lines
    from saved_carts s where s.tenant_id = ${ctx.tenant.id} and s.id = ${id}`,
  );
}

import { write } from '#src/database/transact.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { type SavedLine, savedLines } from './saved-lines.ts';

/** A saved cart, with what the catalogue says now of everything in it. */
export interface RestoredCart {
  readonly id: string;
  readonly savedAt: Date;
  readonly expiresAt: Date;
  readonly currency: string;
  readonly lines: readonly SavedLine[];
}

/**
 * Open the saved cart of this token and note that it was, in one statement.
 * @throws DomainError gone `saved_cart_gone`, when the token is unknown, or its cart has expired or was bought
 */
export async function restoreCart(ctx: Context, token: string): Promise<RestoredCart> {
  const now = ctx.clock.now();
  const [cart] = await write<RestoredCart>(
    ctx,
    sql`
    saved as (
      update saved_carts set restored_at = coalesce(restored_at, ${now}::timestamptz)
      where tenant_id = ${ctx.tenant.id} and restore_token_hash = ${sha256(token)} and expires_at > ${now}
        and converted_at is null
      returning *)`,
    sql`
    select s.id, s.saved_at as "savedAt", s.expires_at as "expiresAt", s.currency, ${savedLines} as lines from saved s`,
  );
  if (!cart) throw savedCartGone();
  return cart;
}

/** The refusal of a token that opens no saved cart, whether it ever did or not. */
export function savedCartGone(): DomainError {
  return new DomainError('gone', 'saved_cart_gone', 'This saved cart is no longer there.');
}

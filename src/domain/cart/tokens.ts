import { sha256 } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { deriveTokenWith, readSessionSecret, tokenPurposes } from '../tenants/index.ts';

/** The hashes by which a saved cart's restore and unsubscribe tokens are found. */
export async function tokenHashesOf(
  ctx: Context,
  { savedCartId, email }: { savedCartId: string; email: string },
): Promise<{ restore: Buffer; unsubscribe: Buffer }> {
  const secret = await readSessionSecret(ctx);
  return {
    restore: sha256(deriveTokenWith(ctx, secret, tokenPurposes.restoreCart, savedCartId)),
    unsubscribe: sha256(deriveTokenWith(ctx, secret, tokenPurposes.unsubscribe, normaliseEmail(email))),
  };
}

/**
 * Store the hashes of the tokens that an email about this cart contains. The store's secret may have been rotated since
 * the cart was saved, which changes its tokens. Unsubscribe links of earlier emails keep working.
 */
export async function saveTokenHashes(
  ctx: InTransaction,
  { savedCartId, email }: { savedCartId: string; email: string },
): Promise<void> {
  const hashes = await tokenHashesOf(ctx, { savedCartId, email });
  await ctx.tx.execute(sql`
    with updated as (
      update saved_carts set restore_token_hash = ${hashes.restore}
      where tenant_id = ${ctx.tenant.id} and id = ${savedCartId} and restore_token_hash <> ${hashes.restore})
    insert into unsubscribe_links (tenant_id, token_hash, email, created_at)
    values (${ctx.tenant.id}, ${hashes.unsubscribe}, ${normaliseEmail(email)}, ${ctx.clock.now()})
    on conflict do nothing`);
}

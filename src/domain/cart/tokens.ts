import { sha256 } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { deriveTokenWith, readSessionSecret, tokenPurposes } from '../tenants/index.ts';

/** What is kept of both tokens, to find them by. */
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
 * Make sure that the tokens which a mail about this cart carries are found: since the cart was saved the store's secret
 * may have been rotated, and its tokens are others. Unsubscribe links that were mailed before still work.
 */
export async function saveTokenHashes(
  ctx: InTransaction,
  { savedCartId, email }: { savedCartId: string; email: string },
): Promise<void> {
  const hashes = await tokenHashesOf(ctx, { savedCartId, email });
  await ctx.tx.execute(sql`
    with kept as (
      update saved_carts set restore_token_hash = ${hashes.restore}
      where tenant_id = ${ctx.tenant.id} and id = ${savedCartId} and restore_token_hash <> ${hashes.restore})
    insert into unsubscribe_links (tenant_id, token_hash, email, created_at)
    values (${ctx.tenant.id}, ${hashes.unsubscribe}, ${normaliseEmail(email)}, ${ctx.clock.now()})
    on conflict do nothing`);
}

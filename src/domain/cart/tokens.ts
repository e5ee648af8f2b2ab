import { sha256 } from '#src/lib/crypto.ts';
import type { Context } from '../context.ts';
import { createTokenDeriver, deriveToken } from '../tenants/index.ts';
import { normaliseEmail } from '../customers/index.ts';

/** What the links in a reminder open: the cart that was saved, and the way out. */
export const restorePurpose = 'cart.restore';
export const unsubscribePurpose = 'mail.unsubscribe';

/** The token that restores a saved cart. */
export async function restoreTokenOf(ctx: Context, savedCartId: string): Promise<string> {
  return deriveToken(ctx, restorePurpose, savedCartId);
}

/** The token that unsubscribes an address. */
export async function unsubscribeTokenOf(ctx: Context, email: string): Promise<string> {
  return deriveToken(ctx, unsubscribePurpose, normaliseEmail(email));
}

/** What is kept of both tokens, to find them by. */
export async function tokenHashesOf(
  ctx: Context,
  { savedCartId, email }: { savedCartId: string; email: string },
): Promise<{ restore: Buffer; unsubscribe: Buffer }> {
  const derive = await createTokenDeriver(ctx);
  return {
    restore: sha256(derive(restorePurpose, savedCartId)),
    unsubscribe: sha256(derive(unsubscribePurpose, normaliseEmail(email))),
  };
}

import { readOne, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { type PromoCodeInput, savePromoCode } from '#src/domain/promotions/index.ts';
import { issueGiftCard } from '#src/domain/promotions/save-gift-card.ts';
import { randomText } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';

/** A promo code that takes 10 % off everything. */
export async function buildPromo(
  ctx: Context,
  given: Partial<PromoCodeInput> = {},
): Promise<{ id: string; code: string }> {
  const code = (given.code ?? `P-${randomText(8)}`).toUpperCase();
  const ten = given.type === undefined || given.type === 'percent' ? { value: 10 } : {};
  await transact(ctx, (ctx) => savePromoCode(ctx, { type: 'percent', ...ten, ...given, code }));
  const promo = await readOne<{ id: string; code: string }>(
    ctx,
    sql`
    select id, code from promo_codes where tenant_id = ${ctx.tenant.id} and code = ${code}`,
  );
  if (!promo) throw new Error('The promo code was not built.');
  return promo;
}

/** What open checkouts hold of a promo code and what paid orders used; of one customer, when an address is given. */
export async function usesOf(ctx: Context, promoId: string, email?: string): Promise<{ held: number; used: number }> {
  const uses = await readOne<{ held: number; used: number }>(
    ctx,
    email === undefined
      ? sql`select held, used from promo_codes where tenant_id = ${ctx.tenant.id} and id = ${promoId}`
      : sql`select held, used from promo_customers where tenant_id = ${ctx.tenant.id} and promo_id = ${promoId}
        and email = ${email}`,
  );
  return uses ?? { held: 0, used: 0 };
}

/** A gift card of 5000 cents. */
export async function buildGiftCard(
  ctx: Context,
  given: { balanceCents?: number } = {},
): Promise<{ id: string; code: string }> {
  const { giftCardId, code } = await transact(ctx, (ctx) => issueGiftCard(ctx, { balanceCents: 5000, ...given }));
  return { id: giftCardId, code };
}

/** What is on a gift card, and what open checkouts hold of it. */
export async function balanceOf(
  ctx: Context,
  giftCardId: string,
): Promise<{ balance: number; held: number } | undefined> {
  return readOne(
    ctx,
    sql`
    select balance_cents as balance, held_cents as held from gift_cards
    where tenant_id = ${ctx.tenant.id} and id = ${giftCardId}`,
  );
}

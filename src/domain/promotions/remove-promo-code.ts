import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { normalisePromoCode, PromoCode } from './promo-code.ts';

/** Nobody can use this code any more. Checkouts that hold it keep it, and what was used stays counted. */
export async function removePromoCode(ctx: InTransaction, written: string): Promise<Change> {
  const code = normalisePromoCode(written);
  const subject = `promo code ${code}`;
  const promo = await ctx.tx.em.findOne(PromoCode, { tenantId: ctx.tenant.id, code, removedAt: null });
  if (!promo) return { subject, action: 'unchanged', fields: [] };
  promo.removedAt = ctx.clock.now();
  promo.updatedAt = ctx.clock.now();
  await ctx.tx.em.flush();
  return { subject, action: 'removed', fields: [] };
}

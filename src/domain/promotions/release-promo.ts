import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import type { PromoUse } from './hold-promo.ts';

/** Give a held use back. Whoever keeps the hold sees to it that this happens once. Of an email that used none no row is left. */
export async function releasePromo(ctx: InTransaction, { promoId, customerEmail }: PromoUse): Promise<void> {
  await ctx.tx.execute(sql`
    update promo_codes set held = held - 1 where tenant_id = ${ctx.tenant.id} and id = ${promoId}`);
  if (customerEmail === undefined) return;
  const ofCustomer = sql`tenant_id = ${ctx.tenant.id} and promo_id = ${promoId} and email = ${normaliseEmail(customerEmail)}`;
  await ctx.tx.execute(sql`
    with gone as (delete from promo_customers where ${ofCustomer} and held = 1 and used = 0 returning 1)
    update promo_customers set held = held - 1 where ${ofCustomer} and not exists (select from gone)`);
}

import { readOne, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { findPartner, type PartnerInput, savePartner } from '#src/domain/partners/index.ts';
import type { PartnerTerms } from '#src/domain/partners/partner.ts';
import { randomText } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';

/** A partner with 8 % commission, whose visits count for 30 days. */
export async function buildPartner(ctx: Context, given: Partial<PartnerInput> = {}): Promise<PartnerTerms> {
  const code = given.code ?? `maker-${randomText(6)}`;
  await transact(ctx, (ctx) => savePartner(ctx, { name: 'The Maker Blog', commission_percent: 8, ...given, code }));
  const partner = await findPartner(ctx, code);
  if (!partner) throw new Error('The partner was not built.');
  return partner;
}

/** To whom an order was credited. */
export async function attributionOf(
  ctx: Context,
  orderId: string,
): Promise<{ partnerId: string; referralId: string | null; commissionCents: number } | undefined> {
  return readOne(
    ctx,
    sql`
    select partner_id as "partnerId", referral_id as "referralId", commission_cents as "commissionCents"
    from partner_attributions where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`,
  );
}

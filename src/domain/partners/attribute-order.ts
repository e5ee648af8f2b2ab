import { type Cents, percentOf } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { findPartner } from './find-partner.ts';

export interface PaidOrder {
  readonly orderId: string;
  /** The storefront's session that bought. */
  readonly sessionId?: string | null | undefined;
  /** The code that the checkout was given: it outweighs every visit. */
  readonly partnerCode?: string | null | undefined;
  /** What the commission is a share of. */
  readonly totalCents: Cents;
}

/**
 * Credit a paid order to the partner who brought it: the one whose code it was bought with, else the last one who
 * brought its session within that partner's window. Written once per order, however often it is told; an order that
 * nobody brought is nobody's.
 */
export async function attributeOrder(ctx: InTransaction, order: PaidOrder): Promise<void> {
  const { orderId, sessionId, partnerCode, totalCents } = order;
  const byCode = partnerCode ? await findPartner(ctx, partnerCode) : undefined;
  const partner: CreditedPartner | undefined = byCode ?? (sessionId ? await findByVisit(ctx, sessionId) : undefined);
  if (!partner) return;
  await ctx.tx.execute(sql`
    insert into partner_attributions
      (tenant_id, order_id, partner_id, referral_id, total_cents, commission_cents, attributed_at)
    values (${ctx.tenant.id}, ${orderId}, ${partner.id}, ${partner.referralId ?? null}, ${totalCents},
      ${percentOf(totalCents, partner.commissionPercent)}, ${ctx.clock.now()})
    on conflict (tenant_id, order_id) do nothing`);
}

interface CreditedPartner {
  readonly id: string;
  readonly commissionPercent: number;
  /** The visit that brought the order, where it was one. */
  readonly referralId?: string;
}

async function findByVisit(ctx: InTransaction, sessionId: string): Promise<CreditedPartner | undefined> {
  const [partner] = await ctx.tx.execute<CreditedPartner>(sql`
    select p.id, p.commission_percent::float8 as "commissionPercent", r.id as "referralId"
    from partner_referrals r
    join partners p on p.tenant_id = ${ctx.tenant.id} and p.id = r.partner_id and p.removed_at is null
    where r.tenant_id = ${ctx.tenant.id} and r.session_id = ${sessionId}
      and ${ctx.clock.now()}::timestamptz < r.last_seen_at + p.window_ms * interval '1 millisecond'
    order by r.last_seen_at desc, r.id desc limit 1`);
  return partner;
}

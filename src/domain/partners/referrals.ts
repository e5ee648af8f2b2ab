import { writeRows } from '#src/database/transact.ts';
import { notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Cents, percentOf } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { findPartner, normalisePartnerCode } from './partner.ts';

/** A visit referred by a partner. */
export interface Visit {
  readonly code: string;
  /** The storefront's id of the shopper's session, which links a later order to the visit. */
  readonly sessionId?: string | null | undefined;
  readonly landingUrl?: string | null | undefined;
}

/**
 * Record a referred visit. Visits of one session are one referral with the time of the last visit. A visit without a
 * session is counted, but no order is attributed to it.
 * @throws DomainError `not_found` when no partner has this code
 */
export async function trackReferral(ctx: Context, visit: Visit): Promise<{ referralId: string }> {
  const { code, sessionId, landingUrl } = visit;
  const now = ctx.clock.now();
  const [referral] = await writeRows<{ referralId: string }>(
    ctx,
    sql`
    insert into partner_referrals as known
      (tenant_id, id, partner_id, session_id, landing_url, first_seen_at, last_seen_at)
    select ${ctx.tenant.id}, ${newId('ref')}, p.id, ${sessionId ?? null}, ${landingUrl ?? null},
      ${now}::timestamptz, ${now}::timestamptz
    from partners p
    where p.tenant_id = ${ctx.tenant.id} and p.code = ${normalisePartnerCode(code)} and p.removed_at is null
    on conflict (tenant_id, session_id, partner_id) do update
      set visits = known.visits + 1, last_seen_at = excluded.last_seen_at
    returning id as "referralId"`,
  );
  if (!referral) throw notFound('partner');
  return referral;
}

export interface PaidOrder {
  readonly orderId: string;
  /** The storefront's id of the session that bought. */
  readonly sessionId?: string | null | undefined;
  /** The code given at checkout. It takes precedence over visits. */
  readonly partnerCode?: string | null | undefined;
  /** The amount that the commission is calculated from. */
  readonly totalCents: Cents;
}

/**
 * Attribute a paid order to a partner: the one whose code was given at checkout, else the last one who referred its
 * session within that partner's window, else none. Repeating it has no effect.
 */
export async function attributeOrder(ctx: InTransaction, order: PaidOrder): Promise<void> {
  const { orderId, sessionId, partnerCode, totalCents } = order;
  const byCode = partnerCode ? await findPartner(ctx, partnerCode) : undefined;
  const partner: CreditedPartner | undefined = byCode ?? (sessionId ? await findByVisit(ctx, sessionId) : undefined);
  if (!partner) return;
  const commissionCents = percentOf(totalCents, partner.commissionPercent);
  await ctx.tx.execute(sql`
    insert into partner_attributions (tenant_id, order_id, partner_id, referral_id, total_cents, commission_cents,
      retained_total_cents, retained_commission_cents, attributed_at)
    values (${ctx.tenant.id}, ${orderId}, ${partner.id}, ${partner.referralId ?? null}, ${totalCents},
      ${commissionCents}, ${totalCents}, ${commissionCents}, ${ctx.clock.now()})
    on conflict (tenant_id, order_id) do nothing`);
}

interface CreditedPartner {
  readonly id: string;
  readonly commissionPercent: number;
  /** The referral, when the order is attributed by a visit. */
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

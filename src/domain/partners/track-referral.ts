import { write } from '#src/database/transact.ts';
import { notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normalisePartnerCode } from './partner.ts';

/** Somebody came from a partner. */
export interface Visit {
  readonly code: string;
  /** The storefront's own name for the shopper's session: what ties a later order to the visit. */
  readonly sessionId?: string | null | undefined;
  readonly landingUrl?: string | null | undefined;
}

/**
 * Note a visit that a partner brought, in one statement. Visits of one session are one referral, as old as the last
 * of them; a visit without a session is counted and brings no order.
 * @throws DomainError not_found for a code that is no partner's
 */
export async function trackReferral(ctx: Context, visit: Visit): Promise<{ referralId: string }> {
  const { code, sessionId, landingUrl } = visit;
  const now = ctx.clock.now();
  const [referral] = await write<{ referralId: string }>(
    ctx,
    sql`
    referral as (
      insert into partner_referrals as known
        (tenant_id, id, partner_id, session_id, landing_url, first_seen_at, last_seen_at)
      select ${ctx.tenant.id}, ${newId('ref')}, p.id, ${sessionId ?? null}, ${landingUrl ?? null},
        ${now}::timestamptz, ${now}::timestamptz
      from partners p
      where p.tenant_id = ${ctx.tenant.id} and p.code = ${normalisePartnerCode(code)} and p.removed_at is null
      on conflict (tenant_id, session_id, partner_id) do update
        set visits = known.visits + 1, last_seen_at = excluded.last_seen_at
      returning id)`,
    sql`
    select id as "referralId" from referral`,
  );
  if (!referral) throw notFound('partner');
  return referral;
}

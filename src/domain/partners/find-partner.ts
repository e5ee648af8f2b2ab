import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normalisePartnerCode } from './partner.ts';

/** A partner, as shoppers and checkouts meet it. */
export interface PartnerTerms {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly commissionPercent: number;
  readonly discountPercent: number;
  readonly windowMs: number;
}

/** The partner with this code, in one statement. */
export async function findPartner(ctx: Context, code: string): Promise<PartnerTerms | undefined> {
  return readOne<PartnerTerms>(
    ctx,
    sql`
    select id, code, name, commission_percent::float8 as "commissionPercent",
      discount_percent::float8 as "discountPercent", window_ms as "windowMs"
    from partners where tenant_id = ${ctx.tenant.id} and code = ${normalisePartnerCode(code)} and removed_at is null`,
  );
}

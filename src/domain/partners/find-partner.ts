import { read, readOne } from '#src/database/transact.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normalisePartnerCode } from './partner.ts';

/** A partner with their terms. */
export interface PartnerTerms {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly commissionPercent: number;
  readonly discountPercent: number;
  readonly windowMs: number;
}

/** The partner with this code, in any spelling. */
export async function findPartner(ctx: Context, code: string): Promise<PartnerTerms | undefined> {
  return readOne<PartnerTerms>(
    ctx,
    sql`
    select id, code, name, commission_percent::float8 as "commissionPercent",
      discount_percent::float8 as "discountPercent", window_ms as "windowMs"
    from partners where tenant_id = ${ctx.tenant.id} and code = ${normalisePartnerCode(code)} and removed_at is null`,
  );
}

/** The codes of all partners of the store. */
export async function partnerCodes(ctx: Context): Promise<string[]> {
  const rows = await read<{ code: string }>(
    ctx,
    sql`
    select code from partners where tenant_id = ${ctx.tenant.id} and removed_at is null order by code`,
  );
  return rows.map(({ code }) => code);
}

/** A partner as a storefront shows it, without the commission. */
export const PartnerView = Type.Object(
  {
    code: Type.String({ examples: ['maker'] }),
    name: Type.String({ examples: ['The Maker Blog'] }),
    discount: Type.Object({ percent: Type.Number({ examples: [5] }) }),
  },
  { title: 'Partner' },
);

export function presentPartner({ code, name, discountPercent }: PartnerTerms): Static<typeof PartnerView> {
  return { code, name, discount: { percent: discountPercent } };
}

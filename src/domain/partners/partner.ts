import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { read, readOne } from '#src/database/transact.ts';
import { Duration, Line, Omittable, type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** A partner who refers shoppers. Orders within `windowMs` of a referred visit are attributed to the partner. */
export const Partner = defineEntity({
  name: 'Partner',
  tableName: 'partners',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    code: p.string(),
    name: p.string(),
    commissionPercent: p.decimal('number'),
    discountPercent: p.decimal('number'),
    windowMs: p.bigint('number'),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    removedAt: p.datetime().nullable(),
  },
});

export type Partner = InferEntity<typeof Partner>;

/** A code as it is stored and compared, as links contain it in any spelling. */
export function normalisePartnerCode(written: string): string {
  return written.trim().toLowerCase();
}

/** Rounded to four decimals. */
const percent = Type.Number({ minimum: 0, maximum: 100, examples: [8] });

/** A partner in the store file and in the admin API. */
export const PartnerInput = Type.Object({
  code: Type.String({ trimmed: true, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$', examples: ['maker'] }),
  name: Line(200, { trimmed: true, examples: ['The Maker Blog'] }),
  /** The partner's share of what was paid for an order's goods, without tax and shipping. Default 0. */
  commission_percent: Omittable(percent),
  /** The discount of a checkout with the partner's code and without a promo code. Default 0. */
  discount_percent: Omittable(percent),
  /** How long after a visit an order is attributed to the partner. Default 30d. */
  window: Omittable(Duration),
});
export type PartnerInput = Static<typeof PartnerInput>;

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
    { brief: true },
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

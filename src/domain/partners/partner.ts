import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** Somebody who brings shoppers. An order within `windowMs` of a visit that they brought is theirs. */
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

/** A code as it is stored and compared: it stands in links, and people write those as they like. */
export function normalisePartnerCode(written: string): string {
  return written.trim().toLowerCase();
}

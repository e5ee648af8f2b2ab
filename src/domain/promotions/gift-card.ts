import { defineEntity, p } from '@mikro-orm/core';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { Cents, type Static, Type } from '#src/lib/schema.ts';
import type { Context } from '../context.ts';

/**
 * A gift card. `heldCents` is the part of the balance that open checkouts hold. Holds and redemptions change both
 * amounts by conditional updates, not through the entity.
 */
export const GiftCard = defineEntity({
  name: 'GiftCard',
  tableName: 'gift_cards',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    codeHash: p.blob(),
    last4: p.string(),
    currency: p.string(),
    balanceCents: p.bigint('number'),
    heldCents: p.bigint('number'),
    disabledAt: p.datetime().nullable(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A code without separators. */
function normaliseGiftCardCode(written: string): string {
  return written.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

/** What is stored of a code. */
export interface HashedCode {
  readonly codeHash: Buffer;
  readonly last4: string;
}

export function hashedCode(ctx: Context, written: string): HashedCode {
  return { codeHash: hashGiftCardCode(ctx, written), last4: normaliseGiftCardCode(written).slice(-4) };
}

/** The stored form of a code. The pepper makes a stolen table useless. */
export function hashGiftCardCode(ctx: Context, written: string): Buffer {
  return hmacSha256(ctx.settings.keyPepper, `gift-card\n${ctx.tenant.id}\n${normaliseGiftCardCode(written)}`);
}

/** A gift card as the store file writes it. */
export const GiftCardInput = Type.Object({
  /** At least six letters and digits, optionally grouped by spaces and hyphens. */
  code: Type.String({ pattern: '^[ -]*([A-Za-z0-9][ -]*){6,64}$', maxLength: 100, examples: ['ABCD-EFGH-JKLM-NPQR'] }),
  /** The opening balance, in the store's currency. */
  balance_cents: Cents,
});
export type GiftCardInput = Static<typeof GiftCardInput>;

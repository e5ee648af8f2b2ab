import { defineEntity, p } from '@mikro-orm/core';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { Cents, type Static, Type } from '#src/lib/schema.ts';
import type { Context } from '../context.ts';

/** Money on a card. `heldCents` is what open checkouts hold of the balance: only statements move the two. */
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

/** A code without the marks that people put between its groups. */
export function normaliseGiftCardCode(written: string): string {
  return written.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

/** What is stored of a code: without the pepper of this installation a stolen table pays for nothing. */
export function hashGiftCardCode(ctx: Context, written: string): Buffer {
  return hmacSha256(ctx.settings.keyPepper, `gift-card\n${ctx.tenant.id}\n${normaliseGiftCardCode(written)}`);
}

/** A gift card as the store file writes it. */
export const GiftCardInput = Type.Object({
  /** At least six letters and digits, in groups as one likes. */
  code: Type.String({ pattern: '^[ -]*([A-Za-z0-9][ -]*){6,64}$', maxLength: 100, examples: ['ABCD-EFGH-JKLM-NPQR'] }),
  /** The opening balance, in the store's currency. */
  balance_cents: Cents,
});
export type GiftCardInput = Static<typeof GiftCardInput>;

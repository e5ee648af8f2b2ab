import { defineEntity, p } from '@mikro-orm/core';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { Cents, type Static, Type } from '#src/lib/schema.ts';
import { typedCode } from '#src/lib/typed-code.ts';
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

/** A code without what only groups it. */
export function normaliseGiftCardCode(written: string): string {
  return typedCode(written).replaceAll(/[^A-Z0-9]/g, '');
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

/** Punctuation, symbols and spaces between letters and digits are ignored. */
const knownCharacters = /^[A-Za-z0-9\p{P}\p{S}\p{Z}]*$/u;
/** Owners see the last four letters and digits, so that as many have to remain secret. `code` has the same numbers. */
const [lengthMin, lengthMax, charactersMax] = [8, 64, 100];

/** A gift card as the store file writes it. */
export const GiftCardInput = Type.Object({
  /** 8 to 64 letters and digits, of at most 100 characters with what groups them. */
  code: Type.String({
    pattern: String.raw`^[\p{P}\p{S}\p{Z}]*([A-Za-z0-9][\p{P}\p{S}\p{Z}]*){8,64}$`,
    maxLength: charactersMax,
    examples: ['ABCD-EFGH-JKLM-NPQR'],
  }),
  /** The opening balance, in the store's currency. */
  balance_cents: Cents,
});
export type GiftCardInput = Static<typeof GiftCardInput>;

export type GiftCardCodeFault = 'other characters' | 'too short' | 'too long';

/** Why a text does not fit `code` of `GiftCardInput`; undefined if it fits. */
export function giftCardCodeFault(written: string): GiftCardCodeFault | undefined {
  if (!knownCharacters.test(written)) return 'other characters';
  const { length } = normaliseGiftCardCode(written);
  if (length < lengthMin) return 'too short';
  return length > lengthMax || written.length > charactersMax ? 'too long' : undefined;
}

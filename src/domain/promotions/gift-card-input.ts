import { Cents, type Static, Type } from '#src/lib/schema.ts';

/** A gift card as the store file writes it. */
export const GiftCardInput = Type.Object({
  /** At least six letters and digits, in groups as one likes. */
  code: Type.String({ pattern: '^[ -]*([A-Za-z0-9][ -]*){6,64}$', maxLength: 100, examples: ['ABCD-EFGH-JKLM-NPQR'] }),
  /** The opening balance, in the store's currency. */
  balance_cents: Cents,
});
export type GiftCardInput = Static<typeof GiftCardInput>;

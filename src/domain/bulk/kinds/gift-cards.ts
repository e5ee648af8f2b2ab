import { invalidRequest } from '#src/lib/errors.ts';
import { Type } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';
import type { Context } from '../../context.ts';
import { GiftCardInput, hashedCode, saveHashedGiftCard } from '../../promotions/index.ts';
import { defineImportKind } from '../import-kind.ts';
import { flatTable } from './flat-table.ts';
import { saveEach } from './save-each.ts';

const { code: Code, balance_cents: Balance } = GiftCardInput.properties;

/** What a code becomes before its file is stored: its hash, and what its owner sees of it. */
const hashedForm = /^hash:([A-Za-z0-9_-]{43}):([A-Z0-9]{4})$/;
/** No code itself, so that it is rejected when it is imported again, too. */
const invalid = '?';
/** What a balance looks like, with as many digits as the largest has. */
const balanceForm = /^-?\d{1,8}$/;

/**
 * Gift cards with codes that were issued elsewhere. The codes are hashed as they arrive: they are in no row of the
 * import, even if they stand in the place of the balance. A list of rejected rows has the hashes, which can be imported
 * again.
 */
export const importGiftCards = defineImportKind({
  name: 'gift_cards',
  area: 'promotions',
  needsSecondFactor: true,
  tables: { csv: flatTable({ required: ['code', 'balance_cents'], texts: ['code'], numbers: ['balance_cents'] }) },
  schema: Type.Object({ code: Type.String(), balance_cents: Balance }, { additionalProperties: false }),
  replaceSecrets(ctx, { code: written, balance_cents: balance, ...others }) {
    if (Object.keys(others).length > 0) throw invalidRequest('A gift card has the fields code and balance_cents only.');
    const code = replaceCode(ctx, written);
    const isShown = isBalance(balance) && !(code === invalid && fits(Code, String(balance)));
    return { code, balance_cents: isShown ? balance : invalid };
  },
  auditedAs: 'gift_card',
  save: (ctx, cards, mode) =>
    saveEach(cards, mode, ({ code, balance_cents: balanceCents }) => {
      const [, hash, last4 = ''] = hashedForm.exec(code) ?? [];
      if (hash === undefined) throw invalidRequest('A code has at least six letters and digits.');
      return saveHashedGiftCard(ctx, { codeHash: Buffer.from(hash, 'base64url'), last4, balanceCents });
    }),
});

function replaceCode(ctx: Context, written: unknown): string {
  if (typeof written === 'string' && hashedForm.test(written)) return written;
  if (!fits(Code, written)) return invalid;
  const { codeHash, last4 } = hashedCode(ctx, written);
  return `hash:${codeHash.toString('base64url')}:${last4}`;
}

function isBalance(value: unknown): boolean {
  return value === '' || ((typeof value === 'string' || typeof value === 'number') && balanceForm.test(String(value)));
}

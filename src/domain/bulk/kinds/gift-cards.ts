import { invalidRequest } from '#src/lib/errors.ts';
import { Type } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';
import { GiftCardInput, hashedCode, saveHashedGiftCard } from '../../promotions/index.ts';
import { defineImportKind } from '../import-kind.ts';
import { flatTable } from './flat-table.ts';
import { saveEach } from './save-each.ts';

const { code: Code, balance_cents: Balance } = GiftCardInput.properties;

/** What a code becomes before its file is stored: its hash, and what its owner sees of it. */
const hashedForm = /^hash:([A-Za-z0-9_-]{43}):([A-Z0-9]{4})$/;
/** No code itself, so that it is rejected when it is imported again, too. */
const invalidCode = '?';

/**
 * Gift cards with codes that were issued elsewhere. The codes are hashed as they arrive: they are in no row of the
 * import. A list of rejected rows has the hashes, which can be imported again.
 */
export const importGiftCards = defineImportKind({
  name: 'gift_cards',
  area: 'promotions',
  needsSecondFactor: true,
  tables: { csv: flatTable({ required: ['code', 'balance_cents'], texts: ['code'], numbers: ['balance_cents'] }) },
  schema: Type.Object({ code: Type.String(), balance_cents: Balance }, { additionalProperties: false }),
  secret: {
    column: 'code',
    replace(ctx, text) {
      if (hashedForm.test(text)) return text;
      if (!fits(Code, text)) return invalidCode;
      const { codeHash, last4 } = hashedCode(ctx, text);
      return `hash:${codeHash.toString('base64url')}:${last4}`;
    },
  },
  auditedAs: 'gift_card',
  save: (ctx, cards, mode) =>
    saveEach(cards, mode, ({ code, balance_cents: balanceCents }) => {
      const [, hash, last4 = ''] = hashedForm.exec(code) ?? [];
      if (hash === undefined) throw invalidRequest('A code has at least six letters and digits.');
      return saveHashedGiftCard(ctx, { codeHash: Buffer.from(hash, 'base64url'), last4, balanceCents });
    }),
});

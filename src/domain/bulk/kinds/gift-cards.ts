import { invalidRequest } from '#src/lib/errors.ts';
import { Type } from '#src/lib/schema.ts';
import { plainForms } from '#src/lib/typed-code.ts';
import type { Context } from '../../context.ts';
import {
  addIssuedGiftCards,
  type GiftCardCodeFault,
  GiftCardInput,
  giftCardCodeFault,
  hashedCode,
} from '../../promotions/index.ts';
import { defineImportKind, rejectExisting } from '../import-kind.ts';
import { isAbbreviated } from './cells.ts';
import { flatTable } from './flat-table.ts';

/** What a code becomes before its file is stored: its hash, and what its owner sees of it. */
const hashedForm = /^hash:([A-Za-z0-9_-]{43}):([A-Z0-9]{4})$/;
/** What begins the place of what is not stored. No code begins so. */
const replaced = '?';
/** Why a code is rejected, by what follows the question mark in its place. */
const problems = {
  'no text': 'A code is a text: write it in quotes.',
  'too short': 'A code has at least 8 letters and digits.',
  'too long': 'A code has at most 64 letters and digits, and 100 characters in all.',
  abbreviated:
    'A spreadsheet has abbreviated the code. Format the column as text, and write all its letters and digits.',
  'other characters': 'A code has only letters from A to Z, digits, punctuation and spaces, and begins with no "?".',
  'altered hash': 'The hash was altered. Take it from the list of rejected rows, or write the code itself.',
} as const satisfies Record<GiftCardCodeFault, string> & Record<string, string>;
type Fault = keyof typeof problems;
const faults = Object.keys(problems) as Fault[];

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
  schema: Type.Object(
    { code: Type.String(), balance_cents: GiftCardInput.properties.balance_cents },
    { additionalProperties: false },
  ),
  replaceSecrets(ctx, { code: written, balance_cents: amount, ...others }) {
    if (Object.keys(others).length > 0) throw invalidRequest('A gift card has the fields code and balance_cents only.');
    const code = replaceCode(ctx, written);
    const balance = typeof amount === 'string' ? plainForms(amount) : amount;
    const isShown = isBalance(balance) && (hashedForm.test(code) || giftCardCodeFault(String(balance)) !== undefined);
    return { code, balance_cents: isShown ? balance : replaced };
  },
  auditedAs: 'gift_card',
  async save(ctx, cards, mode) {
    const issued = cards.map(({ code, balance_cents: balanceCents }) => {
      const [, hash, last4 = ''] = hashedForm.exec(code) ?? [];
      if (hash === undefined) throw invalidRequest(problems[faultOf(code) ?? 'other characters']);
      return { codeHash: Buffer.from(hash, 'base64url'), last4, balanceCents };
    });
    return rejectExisting(await addIssuedGiftCards(ctx, issued), mode);
  },
});

function replaceCode(ctx: Context, written: unknown): string {
  if (typeof written !== 'string') return `${replaced}${'no text' satisfies Fault}`;
  if (hashedForm.test(written)) return written;
  const fault = faultOf(written);
  if (fault) return `${replaced}${fault}`;
  const { codeHash, last4 } = hashedCode(ctx, written);
  return `hash:${codeHash.toString('base64url')}:${last4}`;
}

function faultOf(text: string): Fault | undefined {
  if (text.startsWith(replaced)) return faults.find((fault) => text === `${replaced}${fault}`) ?? 'other characters';
  if (isAbbreviated(text)) return 'abbreviated';
  return text.startsWith('hash:') ? 'altered hash' : giftCardCodeFault(text);
}

function isBalance(value: unknown): boolean {
  return value === '' || ((typeof value === 'string' || typeof value === 'number') && balanceForm.test(String(value)));
}

/** Hyphens, dashes, the minus sign, and the long vowel mark that a Japanese keyboard has in their place. */
const dashes = /[\p{Pd}\u2212\u30fc]/gu;

/** The same letters, digits and punctuation in full width, as Japanese and Chinese keyboards write them. */
const wide = /[\uff01-\uff5e]/g;

/**
 * A text of letters and digits as it was meant that is typed on the keyboard of another language, in full width or with
 * its own digits; without the marks that nobody sees and that a copied text may contain.
 */
export function plainForms(written: string): string {
  return written
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(wide, (character) => character.normalize('NFKC'))
    .replaceAll(/\p{Nd}/gu, digitOf)
    .replaceAll(dashes, '-')
    .trim();
}

/** The same of a code, in capitals. In Turkish, that of an i has a dot. */
export function typedCode(written: string): string {
  return plainForms(written)
    .toUpperCase()
    .replaceAll(/\u0130|I\u0307/g, 'I');
}

/** The same of a number that is printed in groups, without the spaces between them. Another line has another number. */
export const ungrouped = (written: string): string => plainForms(written).replaceAll(/\p{Zs}/gu, '');

/** A digit of any script as 0 to 9: in Unicode, those of one follow each other from zero to nine. */
export function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

import { digitOf } from '../../../lib/typed-code.ts';

/** Before decimals, and between groups. */
const separators = [
  ['.', ','],
  [',', '.'],
  ['٫', '٬'],
] as const;

/** Characters as a Japanese or Chinese keyboard may write them, `￥１，２３４`. */
const fullWidth = /[！-～￠-￦]/gu;

/**
 * A number as people write it: with a point or a comma before its decimals, and with or without groups of thousands.
 * What can be read in two ways is read as in the locale: `1,250` is 1.25 in German, and with two decimals no number.
 * The zero before the decimals may be left out, as in `.5`. `undefined` for what is no such number, or has more decimals
 * than these.
 * @param signs what may stand before or after it, such as `$`
 * @param locale by default that of the browser
 */
export function readDecimal(
  text: string,
  decimals: number,
  signs: readonly string[] = [],
  locale?: string,
): number | undefined {
  const { point: own, hasPairs } = notationOf(locale);
  const compact = withoutSign(plain(text), signs.map(plain))
    .replaceAll(/[\p{Zs}'’]/gu, '')
    .replace('−', '-')
    .replaceAll(/\p{Nd}/gu, digitOf);
  // Without decimals, what looks like them can only be thousands.
  if (own && decimals > 0 && new RegExp(`^-?\\d+\\${own}\\d{${decimals + 1},}$`).test(compact)) return undefined;
  for (const [point, group] of separators.toSorted(([left], [right]) => Number(right === own) - Number(left === own))) {
    const groups = hasPairs ? `[1-9]\\d?(?:\\${group}\\d{2})*\\${group}\\d{3}|` : '';
    const whole = `(?:\\d+|${groups}[1-9]\\d{0,2}(?:\\${group}\\d{3})+)`;
    const numbers = decimals > 0 ? `${whole}(?:\\${point}\\d{0,${decimals}})?|\\${point}\\d{1,${decimals}}` : whole;
    if (new RegExp(`^-?(?:${numbers})$`).test(compact))
      return Number(compact.replaceAll(group, '').replace(point, '.'));
  }
  return undefined;
}

/** What stands before the decimals of a locale, and whether its thousands are grouped in pairs, as `12,34,567`. */
function notationOf(locale: string | undefined): { point: string | undefined; hasPairs: boolean } {
  const parts = new Intl.NumberFormat(locale).formatToParts(1234567.5);
  return {
    point: parts.find(({ type }) => type === 'decimal')?.value,
    hasPairs: parts.some(({ type, value }, index) => type === 'integer' && index > 0 && value.length === 2),
  };
}

/** Without the invisible marks of a direction, which stand in amounts in Arabic, and without wide characters. */
const plain = (text: string) =>
  text
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(fullWidth, (character) => character.normalize('NFKC'))
    .trim();

function withoutSign(text: string, signs: readonly string[]): string {
  for (const sign of signs) {
    if (text.startsWith(sign)) return text.slice(sign.length);
    if (text.endsWith(sign)) return text.slice(0, -sign.length);
  }
  return text;
}

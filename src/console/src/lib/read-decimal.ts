/** Before decimals, and between groups. */
const separators = [
  ['.', ','],
  [',', '.'],
  ['٫', '٬'],
] as const;

/** Digits and signs as a Japanese or Chinese keyboard may write them, `１，２３４`. */
const fullWidth = /[！-～]/gu;

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
  const { digits, point: own, hasLakhs } = notationOf(locale);
  const narrow = text.trim().replaceAll(fullWidth, (character) => character.normalize('NFKC'));
  const compact = withoutSign(narrow, signs)
    // Spaces, and the invisible marks of a direction that stand before an Arabic minus.
    .replaceAll(/[\s'’\p{Cf}]/gu, '')
    .replace('−', '-')
    .replaceAll(/\p{Nd}/gu, (digit) => String(digits.includes(digit) ? digits.indexOf(digit) : digit));
  // Without decimals, what looks like them can only be thousands.
  if (own && decimals > 0 && new RegExp(`^-?\\d+\\${own}\\d{${decimals + 1},}$`).test(compact)) return undefined;
  for (const [point, group] of separators.toSorted(([left], [right]) => Number(right === own) - Number(left === own))) {
    const lakhs = hasLakhs ? `|[1-9]\\d?(?:\\${group}\\d{2})+\\${group}\\d{3}` : '';
    const whole = `(?:\\d+|[1-9]\\d{0,2}(?:\\${group}\\d{3})+${lakhs})`;
    const numbers = decimals > 0 ? `${whole}(?:\\${point}\\d{0,${decimals}})?|\\${point}\\d{1,${decimals}}` : whole;
    if (new RegExp(`^-?(?:${numbers})$`).test(compact))
      return Number(compact.replaceAll(group, '').replace(point, '.'));
  }
  return undefined;
}

interface Notation {
  /** From zero to nine. */
  readonly digits: readonly string[];
  /** What stands before decimals. */
  readonly point: string | undefined;
  /** Whether groups above the thousands have two digits, as in India: `1,00,000`. */
  readonly hasLakhs: boolean;
}

function notationOf(locale: string | undefined): Notation {
  const number = new Intl.NumberFormat(locale);
  const [million] = number.formatToParts(1_000_000);
  return {
    digits: Array.from({ length: 10 }, (_, digit) => number.format(digit)),
    point: number.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value,
    hasLakhs: million?.value.length === 2,
  };
}

function withoutSign(text: string, signs: readonly string[]): string {
  for (const sign of signs) {
    if (text.startsWith(sign)) return text.slice(sign.length);
    if (text.endsWith(sign)) return text.slice(0, -sign.length);
  }
  return text;
}

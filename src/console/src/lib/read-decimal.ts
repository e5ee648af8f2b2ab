/** Before decimals, and between groups. */
const separators = [
  ['.', ','],
  [',', '.'],
] as const;

/**
 * A number as people write it: with a point or a comma before its decimals, and with or without groups of thousands.
 * `undefined` for what is no such number, or has more decimals than these.
 * @param signs what may stand before or after it, such as `$`
 */
export function readDecimal(text: string, decimals: number, signs: readonly string[] = []): number | undefined {
  const compact = withoutSign(text.trim(), signs)
    .replaceAll(/[\s'’]/g, '')
    .replace('−', '-');
  for (const [point, group] of separators) {
    const whole = `(?:\\d+|[1-9]\\d{0,2}(?:\\${group}\\d{3})+)`;
    const fraction = decimals > 0 ? `(?:\\${point}\\d{0,${decimals}})?` : '';
    if (new RegExp(`^-?${whole}${fraction}$`).test(compact))
      return Number(compact.replaceAll(group, '').replace(point, '.'));
  }
  return undefined;
}

function withoutSign(text: string, signs: readonly string[]): string {
  for (const sign of signs) {
    if (text.startsWith(sign)) return text.slice(sign.length);
    if (text.endsWith(sign)) return text.slice(0, -sign.length);
  }
  return text;
}

/** Before decimals, and between groups. */
const signs = [
  ['.', ','],
  [',', '.'],
] as const;

/**
 * A number as people write it: with a point or a comma before its decimals, and with or without groups of thousands.
 * `undefined` for what is no such number, or has more decimals than these.
 */
export function readDecimal(text: string, decimals: number): number | undefined {
  const compact = text.replaceAll(/[\s'’]/g, '').replace('−', '-');
  for (const [point, group] of signs) {
    const whole = `(?:\\d+|[1-9]\\d{0,2}(?:\\${group}\\d{3})+)`;
    const fraction = decimals > 0 ? `(?:\\${point}\\d{0,${decimals}})?` : '';
    if (new RegExp(`^-?${whole}${fraction}$`).test(compact))
      return Number(compact.replaceAll(group, '').replace(point, '.'));
  }
  return undefined;
}

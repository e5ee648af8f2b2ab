import { formatCode } from './format.ts';

/** The label that a form shows for the input of a source, such as `variants.0.sku`, if it has one. */
export type LabelOf = (source: string) => string | undefined;

/**
 * The name of a field of an input: its label in the form, or else words. `variants`, `0`, `price_cents` is "Variants, 1,
 * Price".
 * @param currency of its amounts, where they are shown in it instead of in minor units
 */
export function nameOfField(
  path: readonly string[],
  currency: string | undefined,
  labelOf: LabelOf = () => undefined,
): string {
  const labels = path.map((_, index) => labelOf(path.slice(0, index + 1).join('.')));
  const isLabelled = labels.at(-1) !== undefined;
  return path
    .flatMap((part, index) => {
      if (labels[index] !== undefined) return labels[index];
      if (/^\d+$/.test(part)) return Number(part) + 1;
      // What only groups inputs has no label.
      return isLabelled ? [] : formatCode(currency === undefined ? part : part.replace(/_cents$/, ''));
    })
    .join(', ');
}

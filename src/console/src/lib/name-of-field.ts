import { formatCode } from './format.ts';

/**
 * The name of a field of an input, as words: `variants`, `0`, `price_cents` is "Variants, 1, Price".
 * @param currency of its amounts, where they are shown in it instead of in minor units
 */
export const nameOfField = (path: readonly string[], currency: string | undefined): string =>
  path
    .map((part) => (currency === undefined ? part : part.replace(/_cents$/, '')))
    .map((part) => (/^\d+$/.test(part) ? Number(part) + 1 : formatCode(part)))
    .join(', ');

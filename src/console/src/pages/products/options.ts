import { optionPairs } from '../../../../lib/option-pairs.ts';

/** What distinguishes a variant, by name: `{ Size: 'Small' }`. */
type Options = Readonly<Record<string, string>>;

/** As imports have them: `Size=Small; Color=Red`, or JSON where that would be read as something else. */
export function writeOptions(options: Options): string {
  const text = Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  return JSON.stringify(readOptions(text)) === JSON.stringify(options) ? text : JSON.stringify(options);
}

/** `undefined` for what are no options. */
export function readOptions(text: string | null | undefined): Options | undefined {
  const written = text?.trim() ?? '';
  if (written.startsWith('{')) return readJson(written);
  const pairs = optionPairs(written);
  const names = new Set(pairs.map(([name]) => name));
  const areNamedOnce = names.size === pairs.length && !names.has('');
  return areNamedOnce && pairs.every(([, value]) => value !== undefined)
    ? (Object.fromEntries(pairs) as Options)
    : undefined;
}

function readJson(text: string): Options | undefined {
  try {
    const options: Record<string, unknown> = JSON.parse(text);
    return Object.values(options).every((value) => typeof value === 'string') ? (options as Options) : undefined;
  } catch {
    return undefined;
  }
}

/** A variant whose options are written as text. */
export interface VariantWithText {
  readonly options?: string | null;
}

/** The variants of a form with their options as the API takes them. */
export const withOptions = <Variant extends VariantWithText>(variants: readonly Variant[]) =>
  variants.map(({ options, ...variant }) => ({ ...variant, options: readOptions(options) ?? {} }));

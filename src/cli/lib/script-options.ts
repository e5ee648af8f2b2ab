import { parseArgs } from 'node:util';

import { nearest } from '#src/lib/edit-distance.ts';
import { UsageError } from './command.ts';

/** The options of a script with their defaults: a number, a text, or a switch. */
export type ScriptOptions = Readonly<
  Record<
    string,
    {
      readonly default: number | string | boolean;
      /** What the default is called, where it is another each time. */
      readonly meant?: string;
      /** The only words that there are. */
      readonly oneOf?: readonly string[];
      readonly description: string;
    }
  >
>;

/** The option of a script whose random choices can be repeated. */
export const seedOption = {
  default: Math.floor(Math.random() * 2 ** 31),
  meant: 'a random one',
  description: 'Repeats the random choices of a run.',
};

type Value = ScriptOptions[string]['default'];
type ValueOf<Default extends Value> = Default extends boolean ? boolean : Default extends number ? number : string;
type Values<Options extends ScriptOptions> = { readonly [Name in keyof Options]: ValueOf<Options[Name]['default']> };

/**
 * Read the options of a script: `--name value`, or the values alone in the order of the options. With --help it prints
 * the usage and exits with 0; for unknown options it prints an error and exits with 2.
 * @param call how the script is called: `npm run chaos --`
 * @param example example arguments
 */
export function readOptions<Options extends ScriptOptions>(
  summary: string,
  call: string,
  options: Options,
  example = '',
): Values<Options> {
  const words = process.argv.slice(2);
  if (words.some((word) => word === '--help' || word === '-h')) {
    console.log(explain(summary, call, options, example));
    process.exit(0);
  }
  try {
    return read(words, options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return exitWithUsageError(`${error.message}\nSee ${call} --help.`);
  }
}

/** Ends the script: it was wrongly called. */
export function exitWithUsageError(message: string): never {
  console.error(message);
  process.exit(2);
}

/** The help of a script. */
export function explain(summary: string, call: string, options: ScriptOptions, example = ''): string {
  const lines = Object.entries(options).map(([name, option]) => [describeName(name, option.default), option] as const);
  const width = Math.max(0, ...lines.map(([left]) => left.length));
  const alone = call.replace(/ --$/, '');
  return [
    `Usage: ${lines.length > 0 ? `${call} [options]` : alone}`,
    '',
    summary,
    ...(lines.length > 0 ? ['', 'Options:'] : []),
    ...lines.map(([left, option]) => `  ${left.padEnd(width)}  ${option.description}${describeDefault(option)}`),
    '',
    'Example:',
    `  ${example ? `${call} ${example}` : alone}`,
  ].join('\n');
}

function describeName(name: string, fallback: Value): string {
  if (typeof fallback === 'boolean') return fallback ? `--no-${name}` : `--${name}`;
  return `--${name} <${typeof fallback === 'number' ? 'number' : 'word'}>`;
}

function describeDefault({ default: fallback, meant = String(fallback) }: ScriptOptions[string]): string {
  return typeof fallback === 'boolean' ? '' : ` Default: ${meant}.`;
}

/** @throws UsageError that says what is wrong */
function read<Options extends ScriptOptions>(words: readonly string[], options: Options): Values<Options> {
  const known = Object.entries(options).map(
    ([name, option]) => [name, { type: typeof option.default === 'boolean' ? 'boolean' : 'string' }] as const,
  );
  const { values, positionals } = parse(words, Object.fromEntries(known));
  const names = Object.keys(options);
  if (positionals.length > names.length) throw new UsageError(`There is no option for "${positionals[names.length]}".`);
  const entries = Object.entries(options).map(([name, option], index) => [
    name,
    readOne(name, values[name] ?? positionals[index], option),
  ]);
  return Object.fromEntries(entries) as Values<Options>;
}

function parse(words: readonly string[], known: Record<string, { type: 'boolean' | 'string' }>) {
  try {
    return parseArgs({ args: [...words], options: known, allowNegative: true, allowPositionals: true });
  } catch (error) {
    const [, unknown] = /^Unknown option '(-[^' ]*)'/.exec(error instanceof Error ? error.message : '') ?? [];
    if (!unknown) throw error;
    const meant = nearest(unknown.replace(/^-+/, ''), Object.keys(known));
    throw new UsageError(`There is no option ${unknown}.${meant ? ` Did you mean --${meant}?` : ''}`);
  }
}

function readOne(
  name: string,
  given: string | boolean | undefined,
  { default: fallback, oneOf }: ScriptOptions[string],
): Value {
  if (given === undefined || typeof given === 'boolean') return given ?? fallback;
  if (oneOf && !oneOf.includes(given)) throw new UsageError(`--${name} is one of ${oneOf.join(', ')}.`);
  if (typeof fallback === 'string') return given;
  const number = Number(given);
  if (given === '' || !Number.isFinite(number)) throw new UsageError(`--${name} takes a number.`);
  return number;
}

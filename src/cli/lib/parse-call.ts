import { parseArgs } from 'node:util';
import { nearest } from '#src/lib/edit-distance.ts';
import { codeOf } from '#src/lib/errors.ts';
import { type Call, type Command, type Option, type Options, type Terminal, UsageError } from './command.ts';

/** The options that every command has. */
export const commonOptions = {
  json: { type: 'boolean', description: 'Print one JSON value instead of text.' },
  help: { type: 'boolean', description: 'Explain the command.' },
} as const satisfies Options;

/** What of a call is the same for every command. */
export interface ParsedCall extends Pick<Call<string, Options>, 'parameters' | 'more' | 'options'> {
  readonly help: boolean;
}

/** A command and the words that follow its name. */
export interface FoundCommand {
  readonly command: Command;
  readonly rest: readonly string[];
}

/** The command that these words begin with: of `tenants list` and `tenants` the longer one. */
export function findCommand(commands: readonly Command[], words: readonly string[]): FoundCommand {
  const written = words.findIndex((word) => word.startsWith('-'));
  const names = words.slice(0, written === -1 ? undefined : written);
  for (const length of [2, 1]) {
    const command = commands.find(({ name }) => names.length >= length && name === names.slice(0, length).join(' '));
    if (command) return { command, rest: words.slice(length) };
  }
  throw unknownCommand(commands, names);
}

/**
 * What a command's words mean.
 * @throws UsageError for an unknown option, and for parameters that are missing or too many
 */
export function parseCall(command: Command, words: readonly string[]): ParsedCall {
  const options = { ...command.options, ...commonOptions };
  const { values, positionals } = parseWords(command, options, words);
  const help = values['help'] === true;
  const names = Object.keys(command.parameters);
  const surplus = positionals.slice(names.length);
  if (!help) {
    const missing = names.slice(positionals.length).map((name) => `<${name}>`);
    if (missing.length > 0) throw new UsageError(`${command.name} needs ${missing.join(' and ')}.`);
    if (surplus.length > 0 && !command.takesMore)
      throw new UsageError(`${command.name} takes no "${surplus.join(' ')}".`);
  }
  const optionValue = (name: string, { type }: Option) => values[name] ?? (type === 'boolean' ? false : undefined);
  return {
    parameters: Object.fromEntries(names.map((name, index) => [name, positionals[index] ?? ''])),
    more: surplus,
    options: Object.fromEntries(
      Object.entries(command.options).map(([name, option]) => [name, optionValue(name, option)]),
    ),
    help,
  };
}

/**
 * Without `--` before a command npm takes its options for its own, and hands on only the other words: a dry run would be
 * none. It names them in the environment.
 * @throws UsageError
 */
export function rejectTakenByNpm(
  { name, options }: Command,
  words: readonly string[],
  environment: Terminal['environment'],
): void {
  if (environment['npm_lifecycle_event'] !== 'cli') return;
  const taken = Object.keys(options)
    .filter((option) => environment[`npm_config_${option.replaceAll('-', '_')}`])
    .map((option) => `--${option}`)
    .filter((option) => !words.some((word) => word === option || word.startsWith(`${option}=`)));
  if (taken.length === 0) return;
  throw new UsageError(
    `npm took ${taken.join(' and ')} for its own. Write -- before the command: npm run cli -- ${name} …`,
  );
}

function parseWords(command: Command, options: Options, words: readonly string[]) {
  try {
    const known = Object.entries(options).map(([name, { type }]) => [name, { type }] as const);
    const args = words.map((word) => (word === '-h' ? '--help' : word));
    return parseArgs({ args, options: Object.fromEntries(known), allowPositionals: true });
  } catch (error) {
    if (!(error instanceof Error && codeOf(error).startsWith('ERR_PARSE_ARGS'))) throw error;
    const [, unknown] = /^Unknown option '(-[^' ]*)'/.exec(error.message) ?? [];
    if (!unknown) throw new UsageError(`${command.name}: ${error.message}.`);
    const meant = nearest(unknown.replace(/^-+/, ''), Object.keys(options));
    throw new UsageError(`${command.name} has no option ${unknown}.${meant ? ` Did you mean --${meant}?` : ''}`);
  }
}

function unknownCommand(commands: readonly Command[], names: readonly string[]): UsageError {
  if (names.length === 0) return new UsageError('Which command?');
  const family = commands.filter(({ name }) => name.startsWith(`${names[0]} `)).map(({ name }) => name);
  if (family.length > 0) return new UsageError(`There are these commands: ${family.join(', ')}.`);
  const known = commands.map(({ name }) => name);
  const meant = nearest(names.slice(0, 2).join(' '), known) ?? nearest(names[0] ?? '', known);
  return new UsageError(`There is no command "${names[0]}".${meant ? ` Did you mean ${meant}?` : ''}`);
}

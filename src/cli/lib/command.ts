/** The output of a command: lines for people, or with `--json` one JSON value for machines. Both go to stdout. */
export interface Report {
  readonly lines: readonly string[];
  readonly data: unknown;
  /** The output reports a problem: it is printed like any other, and the exit code is 1. */
  readonly failed?: boolean;
}

/** What a command may use of where it runs. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Report the progress of long work. Goes to stderr. */
  progress(message: string): void;
  /**
   * Print a part of the output now, so that it is not lost if the rest fails. With `--json` the parts are the elements
   * of one array, and the `data` of the final report is not printed.
   */
  print(part: Pick<Report, 'lines' | 'data'>): void;
  /** The whole standard input. */
  readInput(): Promise<Buffer>;
}

/** `--name`, or `--name <value>` where it has a value. */
export interface Option {
  readonly type: 'boolean' | 'string';
  /** The placeholder of the value in the help: `a,b,c`. */
  readonly value?: string;
  readonly description: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<Given extends Option> = { boolean: boolean; string: string | undefined }[Given['type']];

export interface Call<Parameter extends string, Given extends Options> {
  readonly parameters: Readonly<Record<Parameter, string>>;
  /** What was given after the last parameter, where the command takes several of it. */
  readonly more: readonly string[];
  readonly options: { readonly [Name in keyof Given]: ValueOf<Given[Name]> };
  readonly terminal: Terminal;
}

/** A command of the command line. Every command also has `--help` and `--json`. */
export interface Command {
  /** The name of the command: one word, or two. */
  readonly name: string;
  readonly summary: string;
  /** What must follow the name, in this order, with its description. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The last parameter may be given several times. */
  readonly takesMore?: boolean;
  readonly options: Options;
  run(call: Call<string, Options>): Promise<Report>;
}

/**
 * A command is data and one function. It throws `UsageError` for wrong usage (exit code 2); expected errors
 * (DomainError, ConfigError, `Failure`) become one clear message and exit code 1.
 */
export function defineCommand<
  Parameter extends string = never,
  const Given extends Options = Record<never, never>,
>(definition: {
  readonly name: string;
  readonly summary: string;
  readonly parameters?: Readonly<Record<Parameter, string>>;
  readonly takesMore?: boolean;
  readonly options?: Given;
  run(call: Call<Parameter, Given>): Promise<Report>;
}): Command {
  return { parameters: {}, options: {}, ...definition } as unknown as Command;
}

/** Something was written that no command understands. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed; the message says why. `problems` are for machines. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly problems: readonly object[];

  constructor(message: string, problems: readonly object[] = []) {
    super(message);
    this.problems = problems;
  }
}

import type { Command, Options } from './command.ts';
import { commonOptions } from './parse-call.ts';

const program = 'npm run cli --';

/** Every command, a line each. */
export function overview(commands: readonly Command[]): string {
  return [
    `Usage: ${program} <command> [options]`,
    '',
    'Commands:',
    ...table(commands.map((command) => [synopsis(command), command.summary])),
    '',
    `${program} <command> --help describes one command. Every command accepts --json.`,
    'Without the lines that npm prints first, for programs: npm run --silent cli -- <command>',
    'Commands work on what the environment variables name; without DATABASE_URL, on a stack that npm run dev runs.',
    'Exit codes: 0 success, 1 failure, 2 usage error.',
  ].join('\n');
}

/** One command with everything that it takes. */
export function explain(command: Command): string {
  const parameters = Object.entries(command.parameters).map(([name, text]) => [`<${name}>`, text] as const);
  return [
    `Usage: ${program} ${synopsis(command)} [options]`,
    '',
    command.summary,
    ...(parameters.length > 0 ? ['', 'Parameters:', ...table(parameters)] : []),
    '',
    'Options:',
    ...table(describeOptions({ ...command.options, ...commonOptions })),
  ].join('\n');
}

function synopsis({ name, parameters, takesMore }: Command): string {
  return [name, ...Object.keys(parameters).map((parameter) => `<${parameter}>`)].join(' ') + (takesMore ? '…' : '');
}

function describeOptions(options: Options): (readonly [string, string])[] {
  return Object.entries(options).map(([name, { type, value, description }]) => [
    type === 'boolean' ? `--${name}` : `--${name} <${value ?? name}>`,
    description,
  ]);
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

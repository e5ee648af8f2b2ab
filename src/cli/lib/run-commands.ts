import { buffer } from 'node:stream/consumers';

import { type Command, type Report, type Terminal, UsageError } from './command.ts';
import { describeFailure } from './describe-failure.ts';
import { explain, overview } from './help.ts';
import { findCommand, parseCall } from './parse-call.ts';

/** The streams of a call: its output, all other messages, and its input. */
export interface Streams {
  readonly in: NodeJS.ReadableStream;
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
}

/** Run the command of this call. @returns the exit code: 0 success, 1 failure, 2 usage error */
export async function runCommands(
  commands: readonly Command[],
  words: readonly string[],
  environment: Terminal['environment'],
  { in: input, out, err }: Streams,
): Promise<0 | 1 | 2> {
  const requestsHelp = ['help', '--help', '-h'].includes(words[0] ?? '');
  if (requestsHelp && words.length === 1) {
    out.write(`${overview(commands)}\n`);
    return 0;
  }
  const json = words.includes('--json');
  let called = '';
  try {
    const { command, rest } = findCommand(commands, requestsHelp ? words.slice(1) : words);
    called = `${command.name} `;
    const { help, ...call } = parseCall(command, requestsHelp ? ['--help'] : rest);
    if (help) {
      out.write(`${explain(command)}\n`);
      return 0;
    }
    const terminal: Terminal = {
      environment,
      progress: (message) => void err.write(`${message}\n`),
      readInput: () => buffer(input),
    };
    const report = await command.run({ ...call, terminal });
    out.write(print(report, json));
    return report.failed ? 1 : 0;
  } catch (error) {
    const { message, problems, exitCode } = describeFailure(error);
    err.write(`${message}\n${error instanceof UsageError ? `See npm run cli -- ${called}--help.\n` : ''}`);
    if (json) out.write(`${JSON.stringify({ error: message, problems }, null, 2)}\n`);
    return exitCode;
  }
}

function print(report: Report, json: boolean): string {
  return json ? `${JSON.stringify(report.data, null, 2)}\n` : report.lines.map((line) => `${line}\n`).join('');
}

import { buffer } from 'node:stream/consumers';

import { type Command, type Terminal, UsageError } from './command.ts';
import { describeFailure } from './describe-failure.ts';
import { explain, overview } from './help.ts';
import { findCommand, parseCall, rejectTakenByNpm } from './parse-call.ts';

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
  const output = openOutput(out, json);
  let called = '';
  try {
    const { command, rest } = findCommand(commands, requestsHelp ? words.slice(1) : words);
    called = `${command.name} `;
    rejectTakenByNpm(command, rest, environment);
    const { help, ...call } = parseCall(command, requestsHelp ? ['--help'] : rest);
    if (help) {
      out.write(`${explain(command)}\n`);
      return 0;
    }
    const terminal: Terminal = {
      environment,
      progress: (message) => void err.write(`${message}\n`),
      print: output.print,
      readInput: () => buffer(input),
    };
    const report = await command.run({ ...call, terminal });
    output.end(report);
    return report.failed ? 1 : 0;
  } catch (error) {
    const { message, problems, exitCode } = describeFailure(error);
    err.write(`${message}\n${error instanceof UsageError ? `See npm run cli -- ${called}--help.\n` : ''}`);
    output.fail({ error: message, problems });
    return exitCode;
  }
}

type Part = Parameters<Terminal['print']>[0];

/** The output of one call: one report, or the parts that were printed before it was there. */
function openOutput(out: Streams['out'], json: boolean) {
  let parts = 0;
  const show = ({ lines, data }: Part) =>
    json ? JSON.stringify(data, null, 2) : lines.map((line) => `${line}\n`).join('');
  const print = (part: Part) => {
    out.write(json ? `${parts === 0 ? '[' : ','}\n${show(part)}` : show(part));
    parts += 1;
  };
  const end = (report: Part) => {
    if (json) out.write(parts === 0 ? `${show(report)}\n` : '\n]\n');
    else out.write(show(report));
  };
  const fail = (data: object) => {
    const failure = { lines: [], data };
    if (json && parts > 0) print(failure);
    end(failure);
  };
  return { print, end, fail };
}

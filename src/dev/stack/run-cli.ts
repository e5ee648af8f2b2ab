import { Readable } from 'node:stream';

import { commands } from '#src/cli/commands.ts';
import type { Command } from '#src/cli/lib/command.ts';
import { runCommands } from '#src/cli/lib/run-commands.ts';

/** Call the command line within this process, which starts faster than one of its own. The commands can be replaced. */
export async function callCli(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  given: readonly Command[] = commands,
  input: string | Buffer = '',
): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const stream = (name: keyof typeof printed) => ({ write: (text: string) => void (printed[name] += text) });
  const streams = { in: Readable.from(input), out: stream('out'), err: stream('err') };
  return { code: await runCommands(given, words, environment, streams), ...printed };
}

/** The same for a stack: returns what was printed, and throws where the command ends with another code than 0. */
export async function runCli(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  // A process sends its traces to one collector for as long as it runs.
  const { code, out, err } = await callCli(words, { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: '' });
  if (code !== 0) throw new Error(`cli ${words.join(' ')} ended with code ${code}:\n${err}${out}`);
  return out;
}

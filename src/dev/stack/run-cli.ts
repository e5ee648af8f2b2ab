import { Readable } from 'node:stream';

import { commands } from '#src/cli/commands.ts';
import { runCommands } from '#src/cli/lib/run-commands.ts';

/** Run a command of the command line within this process, which is there already, and return what it printed. */
export async function runCli(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  const printed = { out: '', err: '' };
  const stream = (name: keyof typeof printed) => ({ write: (text: string) => void (printed[name] += text) });
  const streams = { in: Readable.from([]), out: stream('out'), err: stream('err') };
  // A process sends its traces to one collector for as long as it runs.
  const code = await runCommands(commands, words, { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: '' }, streams);
  if (code !== 0) throw new Error(`cli ${words.join(' ')} ended with code ${code}:\n${printed.err}${printed.out}`);
  return printed.out;
}

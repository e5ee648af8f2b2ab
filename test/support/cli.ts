import { Readable } from 'node:stream';

import { commands } from '#src/cli/commands.ts';
import type { Command } from '#src/cli/lib/command.ts';
import { runCommands } from '#src/cli/lib/run-commands.ts';
import { type Ended, runEntry } from './run-entry.ts';

/** Call the command line as an operator does: as a process of its own. */
export function runCli(words: readonly string[], environment: Record<string, string>, input?: string): Promise<Ended> {
  return runEntry('src/cli/main.ts', words, environment, input);
}

/** The same within this process, which starts faster. The commands can be replaced. */
export async function callCli(
  words: readonly string[],
  environment: Record<string, string> = {},
  given: readonly Command[] = commands,
  input: string | Buffer = '',
): Promise<Ended> {
  const printed = { out: '', err: '' };
  const stream = (name: keyof typeof printed) => ({ write: (text: string) => void (printed[name] += text) });
  const streams = { in: Readable.from(input), out: stream('out'), err: stream('err') };
  return { code: await runCommands(given, words, environment, streams), ...printed };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { commands } from '#src/cli/commands.ts';
import type { Command } from '#src/cli/lib/command.ts';
import { runCommands } from '#src/cli/lib/run-commands.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a call of the command line printed, and how it ended. */
export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Call the command line as an operator does: as a process of its own, with this environment and no other. */
export async function runCli(words: readonly string[], environment: Record<string, string>, input = ''): Promise<CliResult> {
  const child = spawn(process.execPath, ['src/cli/main.ts', ...words], { cwd: root, env: environment, stdio: 'pipe' });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, out, err };
}

/** The same within this process, which starts faster. Commands can be others than ours. */
export async function callCli(
  words: readonly string[],
  environment: Record<string, string> = {},
  given: readonly Command[] = commands,
  input = '',
): Promise<CliResult> {
  const printed = { out: '', err: '' };
  const stream = (name: keyof typeof printed) => ({ write: (text: string) => void (printed[name] += text) });
  const code = await runCommands(given, words, environment, { in: Readable.from(input), out: stream('out'), err: stream('err') });
  return { code, ...printed };
}

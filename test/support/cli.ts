import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

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

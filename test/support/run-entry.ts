import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { quickStart } from './environment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a process printed, and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Run an entry of the product to its end, as a process of its own with this environment and no other. */
export async function runEntry(
  entry: string,
  words: readonly string[],
  environment: Record<string, string>,
  input = '',
): Promise<Ended> {
  const env = { ...quickStart, ...environment };
  const child = spawn(process.execPath, [entry, ...words], { cwd: root, env, stdio: 'pipe' });
  // It may end without reading.
  child.stdin.on('error', () => undefined).end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, out, err };
}

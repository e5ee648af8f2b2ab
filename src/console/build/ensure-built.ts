import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { built, digestSources } from './digest.ts';

/** Build the console, unless what is there was built from the same sources. */
export async function ensureConsole(): Promise<void> {
  const stored = `${built}/digest`;
  if (existsSync(stored) && readFileSync(stored, 'utf8') === digestSources()) return;
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  // Another NODE_ENV would make it the larger development build.
  await promisify(execFile)(process.execPath, [program], { env: { NODE_ENV: 'production' } });
}

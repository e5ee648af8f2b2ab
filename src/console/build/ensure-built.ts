import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { built, digestSources } from './digest.ts';
import { isBuiltFrom } from './put-in-place.ts';

/** Build the console, unless what is there was built from the same sources. */
export async function ensureConsole(): Promise<void> {
  if (isBuiltFrom(digestSources(), built)) return;
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  // Another NODE_ENV would make it the larger development build.
  await promisify(execFile)(process.execPath, [program], { env: { NODE_ENV: 'production' } });
}

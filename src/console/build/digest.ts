import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What the web process serves. */
export const built = `${root}src/console/dist`;

const sources = [
  'package-lock.json',
  'src/lib/currency.ts',
  'src/lib/issue-message.ts',
  'src/lib/option-pairs.ts',
  'src/lib/total.ts',
  'src/lib/typed-code.ts',
  'src/client/src/**/*.ts',
  'src/console/*.*',
  'src/console/{build,icons,src}/**/*.*',
];

/** The paths of all that the console is built from, in the repository. */
export const findSources = (): string[] => globSync(sources, { cwd: root }).toSorted();

/** The digest of all that the console is built from. */
export function digestSources(): string {
  const hash = createHash('sha256');
  for (const path of findSources()) hash.update(`${path}\n`).update(readFileSync(`${root}${path}`));
  return hash.digest('hex');
}

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { readOptions } from '#src/cli/lib/script-options.ts';

/* `npm run api-changes`: what callers notice of a change of the routes. */

const { accept } = readOptions(
  'Prints how the API differs from its accepted version, and which changes break clients. Exits with 1 if CHANGELOG.md\n' +
    'does not name a breaking change.',
  'npm run api-changes --',
  { accept: { default: false, description: 'Make this the accepted version, unless a breaking change is not named.' } },
  '--accept',
);
const { acceptedPath, currentDocument, readAccepted, readChangelog } = await import('./accepted-document.ts');
const { changesBetween, unannounced } = await import('./changes.ts');

const document = currentDocument();
const changes = changesBetween(readAccepted(), document);
for (const { name, text, isBreaking } of changes) console.log(`${isBreaking ? 'BREAKING ' : ''}${name}: ${text}`);
console.log(`${changes.length} changes`);

const missing = [...new Set(unannounced(changes, readChangelog()).map(({ name }) => `\`${name}\``))];
if (missing.length > 0) {
  console.error(`Name these under "Changed" or "Removed" of [Unreleased] in CHANGELOG.md: ${missing.join(', ')}`);
  process.exitCode = 1;
} else if (accept) {
  writeFileSync(acceptedPath, JSON.stringify(document));
  // Broken into lines, so that the difference to the version before can be read.
  const biome = fileURLToPath(new URL('../../node_modules/@biomejs/biome/bin/biome', import.meta.url));
  execFileSync(process.execPath, [biome, 'format', '--write', acceptedPath]);
}

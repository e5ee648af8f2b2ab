import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Writes what the product and the support of its tests consist of into one file, without types, unless nothing has
 * changed: each of several hundred processes and threads reads that file (resolve-directly.ts) instead of 500. Lines
 * and columns stay where they are.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = `${root}node_modules/.cache/storefront`;
const stripped = `${cache}/sources.json`;
const digest = `${cache}/sources-digest`;

// What nothing imports when it runs: packages of the client, its build, a file of types, and what is for browsers.
const exclude = ['**/node_modules/**', 'src/client/dist/**', 'src/client/src/generated/api.ts', 'src/console/**'];
const files = globSync('{jobs,migrations,src,workers,test/support}/**/*.ts', { cwd: root, exclude });
const sources = files.map((file) => [file, readFileSync(`${root}${file}`, 'utf8')] as const);
const current = createHash('sha256').update(JSON.stringify(sources)).digest('hex');
if (!existsSync(stripped) || !existsSync(digest) || readFileSync(digest, 'utf8') !== current) {
  mkdirSync(cache, { recursive: true });
  const javaScript = sources.map(([file, source]) => [file, stripTypeScriptTypes(source)]);
  writeWhole(stripped, JSON.stringify(Object.fromEntries(javaScript)));
  writeWhole(digest, current);
}

/** Another run may be reading it. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}-${process.pid}`, text);
  renameSync(`${path}-${process.pid}`, path);
}

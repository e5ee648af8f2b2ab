import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Writes what the product and the support of its tests consist of into one file, without types, unless nothing has
 * changed: each of several hundred processes and threads reads that file (resolve-directly.ts) instead of 500. Its first
 * line says where each source begins and ends behind it, so that only what is loaded is decoded. Lines and columns of a
 * source stay where they are.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = `${root}node_modules/.cache/storefront`;
const stripped = `${cache}/sources`;
const digest = `${cache}/sources-digest`;

// What nothing imports when it runs: packages of the client, its build, a file of types, and what is for browsers.
const exclude = ['**/node_modules/**', 'src/client/dist/**', 'src/client/src/generated/api.ts', 'src/console/**'];
const files = globSync('{jobs,migrations,src,workers,test/support}/**/*.ts', { cwd: root, exclude });
const sources = files.map((file) => [file, readFileSync(`${root}${file}`, 'utf8')] as const);
const current = createHash('sha256').update(JSON.stringify(sources)).digest('hex');
if (!existsSync(stripped) || !existsSync(digest) || readFileSync(digest, 'utf8') !== current) {
  mkdirSync(cache, { recursive: true });
  let end = 0;
  const places: Record<string, [begin: number, end: number]> = {};
  const javaScript = sources.map(([file, source]) => {
    const bytes = Buffer.from(stripTypeScriptTypes(source));
    places[file] = [end, (end += bytes.length)];
    return bytes;
  });
  writeWhole(stripped, Buffer.concat([Buffer.from(`${JSON.stringify(places)}\n`), ...javaScript]));
  writeWhole(digest, current);
}

/** Another run may be reading it. */
function writeWhole(path: string, content: string | Buffer): void {
  writeFileSync(`${path}-${process.pid}`, content);
  renameSync(`${path}-${process.pid}`, path);
}

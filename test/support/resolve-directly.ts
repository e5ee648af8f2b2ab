import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/*
 * `node --import` this: a process that loads 2,000 files starts in half of the time. Where a specifier is the path of a
 * file already, nothing is searched for; the largest packages are read from the bundles of the version `?packages=…`
 * (bundle-packages.ts), and the product's own files from one file, without types (strip-sources.ts). With `&threads`,
 * test files share threads (threads/write-threads.ts).
 */

const root = new URL('../../', import.meta.url).href;
const ava = `${root}node_modules/ava/lib/`;
/** What declares tests: a test file, or what parts of one share. */
const testModule = /^test\/(?!\.threads\/|support\/threads\/)/;
const ownSpecifier = /^#(?:jobs|migrations|src|test|workers)\//;
const { searchParams } = new URL(import.meta.url);
const version = searchParams.get('packages');
const sharesThread = searchParams.has('threads');
const folder = `${root}node_modules/.cache/storefront/packages-${version}/`;
const bundles = new Map(
  version
    ? readdirSync(new URL(folder)).map((file) => [decodeURIComponent(file), folder + encodeURIComponent(file)])
    : [],
);
const sourceOf = version ? readSources(new URL(`${root}node_modules/.cache/storefront/sources`)) : () => undefined;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL = '' } = context;
    const isOwn = parentURL.startsWith(root) && !parentURL.includes('/node_modules/');
    if (!isOwn && !parentURL.startsWith(ava)) return nextResolve(specifier, context);
    const path = parentURL.slice(root.length);
    if (sharesThread && specifier === 'ava' && testModule.test(path))
      return found(`${root}test/support/threads/ava.ts?file=${path}`, 'module-typescript');
    const bundle = bundles.get(`${specifier}.mjs`);
    if (bundle) return found(bundle, 'module');
    if (isOwn && specifier.endsWith('.ts')) {
      if (ownSpecifier.test(specifier)) return found(root + specifier.slice(1), 'module-typescript');
      if (specifier.startsWith('.')) return found(new URL(specifier, parentURL).href, 'module-typescript');
    }
    return nextResolve(specifier, context);
  },
  load(url, context, nextLoad) {
    const source = url.startsWith(root) ? sourceOf(url.slice(root.length).replace(/\?.*$/, '')) : undefined;
    return source === undefined ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true };
  },
});

function found(url: string, format: string) {
  return { url, format, shortCircuit: true };
}

/** @returns what reads a source by its path */
function readSources(file: URL): (path: string) => string | undefined {
  const bytes = readFileSync(file);
  const begin = bytes.indexOf('\n') + 1;
  const places: Readonly<Record<string, [begin: number, end: number]>> = JSON.parse(bytes.toString('utf8', 0, begin));
  return (path) => {
    const place = places[path];
    return place && bytes.toString('utf8', begin + place[0], begin + place[1]);
  };
}

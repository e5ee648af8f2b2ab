import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/*
 * `node --import` this: a process that loads 2,000 files starts in half of the time. Where a specifier is the path of a
 * file already, nothing is searched for; the largest packages are read from the bundles of the version `?packages=…`
 * (bundle-packages.ts), and the product's own files from one file, without types (strip-sources.ts).
 */

const root = new URL('../../', import.meta.url).href;
const ava = `${root}node_modules/ava/lib/`;
const ownSpecifier = /^#(?:jobs|migrations|src|test|workers)\//;
const version = new URL(import.meta.url).searchParams.get('packages');
const folder = `${root}node_modules/.cache/storefront/packages-${version}/`;
const bundles = new Map(
  version
    ? readdirSync(new URL(folder)).map((file) => [decodeURIComponent(file), folder + encodeURIComponent(file)])
    : [],
);
const sources: Readonly<Record<string, string>> = version
  ? JSON.parse(readFileSync(new URL(`${root}node_modules/.cache/storefront/sources.json`), 'utf8'))
  : {};

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL = '' } = context;
    const isOwn = parentURL.startsWith(root) && !parentURL.includes('/node_modules/');
    if (!isOwn && !parentURL.startsWith(ava)) return nextResolve(specifier, context);
    const bundle = bundles.get(`${specifier}.mjs`);
    if (bundle) return found(bundle, 'module');
    if (isOwn && specifier.endsWith('.ts')) {
      if (ownSpecifier.test(specifier)) return found(root + specifier.slice(1), 'module-typescript');
      if (specifier.startsWith('.')) return found(new URL(specifier, parentURL).href, 'module-typescript');
    }
    return nextResolve(specifier, context);
  },
  load(url, context, nextLoad) {
    const source = url.startsWith(root) ? sources[url.slice(root.length)] : undefined;
    return source === undefined ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true };
  },
});

function found(url: string, format: string) {
  return { url, format, shortCircuit: true };
}

import { registerHooks } from 'node:module';

/*
 * `node --import` this: a process that loads 2,000 files starts in three quarters of the time. Where a specifier is the
 * path of a file already (our own, and inside the largest packages), nothing is searched for.
 */

const root = new URL('../../', import.meta.url).href;
const ownSpecifier = /^#(?:jobs|migrations|src|test|workers)\//;
const modulePackages = /\/node_modules\/(?:@mikro-orm\/\w+|kysely|stripe\/esm|typebox)\//;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL = '' } = context;
    const isOwn = parentURL.startsWith(root) && !parentURL.includes('/node_modules/');
    if (isOwn && specifier.endsWith('.ts')) {
      if (ownSpecifier.test(specifier)) return found(root + specifier.slice(1), 'module-typescript');
      if (specifier.startsWith('.')) return found(new URL(specifier, parentURL).href, 'module-typescript');
    }
    if (!isOwn && specifier.startsWith('.') && modulePackages.test(parentURL))
      return found(new URL(specifier, parentURL).href, 'module');
    return nextResolve(specifier, context);
  },
});

function found(url: string, format: string) {
  return { url, format, shortCircuit: true };
}

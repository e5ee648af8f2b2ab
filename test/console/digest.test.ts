import { globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import test from 'ava';

import { findSources, root } from '#src/console/build/digest.ts';

test('the console is built again after a change of whatever it imports from outside', (t) => {
  const files = globSync('src/console/src/**/*.{ts,tsx}', { cwd: root });
  const imported = files.flatMap((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(/ from '(\.\.?\/[^']*)'/g)].map(([, path = '']) =>
      relative(root, resolve(root, file, '..', path)),
    ),
  );
  const sources = findSources();
  t.true(imported.includes('src/lib/currency.ts'));
  t.deepEqual(
    imported.filter((path) => !sources.includes(path)),
    [],
  );
});

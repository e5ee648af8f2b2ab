import { existsSync, readFileSync } from 'node:fs';

import test from 'ava';

import { sources } from './sources.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const ignored = read('.slugignore').trim().split('\n');
const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
const entries = [...new Set(read('Procfile').match(/\b(src|workers)\/\S+\.ts/g))];

test('.slugignore leaves out the development part and the tests, which exist', (t) => {
  t.deepEqual(ignored.toSorted(), ['/src/dev', '/test']);
  for (const path of ignored) t.true(existsSync(new URL(`.${path}`, root)), path);
});

test('the slug has every file and package that the processes of the Procfile import', (t) => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const loaded = new Set(entries);
  const findings: string[] = [];
  for (const path of loaded) {
    for (const { path: imported, package: name, typeOnly } of byPath.get(path)?.imports ?? []) {
      if (typeOnly) continue;
      if (imported) loaded.add(imported);
      if (ignored.some((folder) => `/${imported}`.startsWith(`${folder}/`))) findings.push(`${path}: ${imported}`);
      if (name && !(name in dependencies) && !(name in optionalDependencies)) findings.push(`${path}: ${name}`);
    }
  }

  t.deepEqual(findings, []);
  t.true(entries.length > 5);
  t.true(loaded.size > sources.length / 3, `${loaded.size} of ${sources.length} files`);
});

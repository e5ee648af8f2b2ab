import { existsSync, readFileSync } from 'node:fs';

import test from 'ava';

import { Environment } from '#src/environment.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};
const procfile = readFileSync(new URL('../Procfile', import.meta.url), 'utf8');

test('the README explains every variable as the code does', (t) => {
  const expected = Object.entries(Environment.properties).map(([name, schema]) => {
    const { description, default: fallback } = schema as { description?: string; default?: unknown };
    const isOptional = !Environment.required.some((required) => required === name);
    const given =
      fallback !== undefined && fallback !== '' ? `\`${fallback}\`` : isOptional || fallback === '' ? '' : 'required';
    return `| \`${name}\` | ${given} | ${description} |`;
  });
  t.deepEqual(
    expected.filter((row) => !readme.includes(row)),
    [],
  );
  t.is((readme.match(/^\| `[A-Z_]+` \|/gm) ?? []).length, expected.length);
});

test('every path that the README names exists', (t) => {
  const paths = [...readme.matchAll(/`((?:src|jobs|workers|migrations|test)\/[a-zA-Z0-9_./-]*)`/g)].map(
    ([, path]) => path ?? '',
  );
  t.true(paths.length > 20);
  t.deepEqual(
    paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url))),
    [],
  );
});

test('every npm script that the README names exists', (t) => {
  const scripts = [...readme.matchAll(/npm (?:run )?([a-z:]+)/g)]
    .map(([, script]) => script ?? '')
    .filter((script) => script !== 'ci');
  t.deepEqual(
    [...new Set(scripts)].filter((script) => !(script in packageJson.scripts)),
    [],
  );
});

test('every process that the README scales is in the Procfile', (t) => {
  const processes = [...readme.matchAll(/\b((?:web|worker)(?:-[a-z]+)?)=\d/g)].map(([, name]) => name);
  t.deepEqual(
    [...new Set(processes)].filter((name) => !procfile.includes(`${name}: `)),
    [],
  );
});

test('every entry of the Procfile exists', (t) => {
  const entries = [...procfile.matchAll(/node (\S+\.ts)/g)].map(([, entry]) => entry ?? '');
  t.is(entries.length, procfile.trim().split('\n').length);
  t.deepEqual(
    entries.filter((entry) => !existsSync(new URL(`../${entry}`, import.meta.url))),
    [],
  );
});

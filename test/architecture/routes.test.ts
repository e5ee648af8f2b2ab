import test from 'ava';

import { routes } from '#src/api/routes.ts';
import { sources } from './sources.ts';

test('every route states its audience, its answers and what it is for', (t) => {
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    t.truthy(route.audience.kind, name);
    t.true(Object.keys(route.answers).length > 0, name);
    t.true(route.summary.length > 10, name);
    t.true(route.tag.length > 0, name);
  }
});

test('no two routes share a method and a path', (t) => {
  const names = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:[a-z_]+/gi, ':x')}`);
  t.deepEqual(names.filter((name, index) => names.indexOf(name) !== index), []);
});

test('every file of routes is mounted', (t) => {
  const files = sources.filter(({ path }) => /^src\/api\/(?!lib|middleware|ops)[a-z-]+\/[a-z-]+\.ts$/.test(path) && /\bdefineRoute\b/.test(sources.find((source) => source.path === path)?.text ?? ''));
  const index = sources.find(({ path }) => path === 'src/api/routes.ts');
  const mounted = new Set(index?.imports.flatMap(({ path }) => path ?? []));
  t.deepEqual(files.map(({ path }) => path).filter((path) => !mounted.has(path)), []);
});

import test from 'ava';

import { type Source, sources, testSources } from './sources.ts';

const declaration = /^export (?:async )?(function|class|const|interface|type) (\w+)/gm;
const list = /^export (?:type )?\{([^}]*)\}/gm;

/** What other people import. */
const isPublic = (path: string) =>
  path.startsWith('migrations/') || path.startsWith('src/client/src/generated/') || path === 'src/client/src/index.ts';

/** A file of routes or of jobs is imported as a whole. */
const wholePages = 'Object.values(page)';

test('every export is imported by another file', (t) => {
  const everything = [...sources, ...testSources];
  const importers = Map.groupBy(
    everything.flatMap((source) => source.imports.map(({ path }) => ({ path, text: source.text }))),
    ({ path }) => path,
  );
  const unasked = everything
    .filter(({ path }) => !isPublic(path))
    .flatMap((source) =>
      exportsOf(source)
        .filter(
          ({ name }) =>
            !importers.get(source.path)?.some(({ text }) => text.includes(wholePages) || mentions(text, name) > 0),
        )
        // The type of something exported need not be imported by name.
        .filter(({ name, isType }) => !isType || mentions(source.text, name) < 2)
        .map(({ name }) => `${source.path}: ${name}`),
    );
  t.deepEqual(unasked, []);
});

function exportsOf({ text }: Source): { name: string; isType: boolean }[] {
  return [
    ...[...text.matchAll(declaration)].map(([, kind, name = '']) => ({
      name,
      isType: kind === 'interface' || kind === 'type',
    })),
    ...[...text.matchAll(list)].flatMap(([, names = '']) =>
      names
        .split(',')
        .map((name) => name.replace(/^\s*(type )?(\w+ as )?/, '').trim())
        .filter(Boolean)
        .map((name) => ({ name, isType: false })),
    ),
  ];
}

function mentions(text: string, name: string): number {
  return [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length;
}

import { existsSync } from 'node:fs';

import test from 'ava';

import { sources, testSources } from '#test/architecture/sources.ts';
import { anchorsOf, markdownFile, markdownFiles, resolveLink } from '#test/support/documents.ts';

const exists = (path: string) => existsSync(new URL(`../../${path}`, import.meta.url));

/** Inline links, without those to other sites. */
function linksOf(text: string): string[] {
  const withoutBlocks = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...withoutBlocks.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));
}

test('every link of a document leads to a file and a heading that exist', (t) => {
  const broken = markdownFiles.flatMap((file) =>
    linksOf(file.text).flatMap((target) => {
      const { path, anchor } = resolveLink(file.path, target);
      if (!exists(path)) return [`${file.path}: ${target}`];
      const hasAnchor = anchor === '' || (path.endsWith('.md') && anchorsOf(markdownFile(path)).includes(anchor));
      return hasAnchor ? [] : [`${file.path}: ${target} has no such heading`];
    }),
  );
  t.deepEqual(broken, []);
});

test('every document can be reached from the README', (t) => {
  const reached = new Set(['README.md']);
  for (const path of reached)
    for (const target of linksOf(markdownFile(path).text)) {
      const to = resolveLink(path, target).path;
      if (to.endsWith('.md') && exists(to)) reached.add(to);
    }
  t.deepEqual(
    markdownFiles.map(({ path }) => path).filter((path) => !reached.has(path)),
    [],
  );
});

test('the README is short enough to be read', (t) => {
  t.true(markdownFile('README.md').text.split('\n').length <= 151);
});

test('every path that a document names exists', (t) => {
  const missing = markdownFiles.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src|jobs|workers|migrations|test)\/[a-zA-Z0-9_./-]*)`/g)]
      .map(([, named = '']) => named)
      .filter((named) => !exists(named))
      .map((named) => `${path}: ${named}`),
  );
  t.deepEqual(missing, []);
});

test('a document that code names exists, and code cites nothing outside the repository', (t) => {
  const findings = [...sources, ...testSources].flatMap(({ path, text }) => [
    ...[...text.matchAll(/(?<![\w*])[\w./-]+\.md\b/g)]
      .map(([named]) => named)
      .filter((named) => !exists(named.replace(/^(\.\.\/)+/, '')) && !exists(`${path.replace(/[^/]+$/, '')}${named}`))
      .map((named) => `${path}: ${named}`),
    ...(text.includes('\u00a7') ? [`${path}: a section sign`] : []),
  ]);
  t.deepEqual(findings, []);
});

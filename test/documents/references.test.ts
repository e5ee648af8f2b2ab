import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { sources, testSources } from '#test/architecture/sources.ts';
import {
  anchorsOf,
  codeBlocksOf,
  commandsOf,
  markdownFile,
  markdownFiles,
  npmCommand,
  resolveLink,
} from '#test/support/documents.ts';

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

test('the README of the client links to nothing that its package does not have', (t) => {
  t.deepEqual(linksOf(markdownFile('src/client/README.md').text), []);
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

test('the prose of the documents is wrapped at 120 characters', (t) => {
  const long = markdownFiles.flatMap(({ path, text }) =>
    text
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
      .split('\n')
      .filter((line) => line.length > 120 && !line.startsWith('|'))
      .map((line) => `${path}: ${line}`),
  );
  t.deepEqual(long, []);
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

/*
 * Every command that a document shows is run by a test: those of the command line by command-line.test.ts; blocks with
 * a comment `run by` by the test that it names; scripts that take long, with --help, by test/cli/scripts.test.ts. A
 * comment `not run` says why no test can run a block.
 */
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

const blocks = markdownFiles.flatMap(codeBlocksOf);
const runnable = blocks.filter(({ language }) => !['text', 'json', 'yaml'].includes(language));
const unmarked = runnable.filter(({ runBy, notRun }) => !runBy && !notRun);

test('every block of code has a language', (t) => {
  t.deepEqual(
    blocks.filter(({ language }) => language === '').map(({ path, text }) => `${path}: ${text.slice(0, 40)}`),
    [],
  );
});

test('a test that documents name as the one that runs a block exists and reads it', (t) => {
  const wrong = runnable
    .filter(({ runBy }) => runBy)
    .filter(({ runBy = '', path }) => {
      const file = new URL(`../../${runBy}`, import.meta.url);
      return !existsSync(file) || !readFileSync(file, 'utf8').includes(`'${path}'`);
    })
    .map(({ path, runBy }) => `${path}: ${runBy}`);
  t.deepEqual(wrong, []);
});

test('blocks that no test runs are few, and each says why', (t) => {
  const notRun = runnable.filter(({ notRun }) => notRun);
  t.true(notRun.length <= 4, notRun.map(({ path, notRun }) => `${path}: ${notRun}`).join('\n'));
  t.true(notRun.every(({ notRun = '' }) => notRun.length > 10));
});

test('every command of a block without a comment is an npm command', (t) => {
  const others = unmarked.flatMap((block) =>
    commandsOf(block)
      .filter((command) => command !== 'npm ci' && !(npmCommand.exec(command)?.[1] ?? '').match(/./))
      .map((command) => `${block.path}: ${command}`),
  );
  t.deepEqual(others, []);
});

test('every npm script that a document names exists', (t) => {
  const missing = markdownFiles.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm run (?:--silent )?([a-z:-]+)/g)]
      .filter(([, script = '']) => !(script in scripts))
      .map(([, script]) => `${path}: ${script}`),
  );
  t.deepEqual(missing, []);
});

import { existsSync, readFileSync } from 'node:fs';

import test from 'ava';

import { codeBlocksOf, commandsOf, markdownFiles, npmCommand } from '#test/support/documents.ts';

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
    [...text.matchAll(/\bnpm run ([a-z:-]+)/g)]
      .filter(([, script = '']) => !(script in scripts))
      .map(([, script]) => `${path}: ${script}`),
  );
  t.deepEqual(missing, []);
});

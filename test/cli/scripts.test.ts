import { globSync, readFileSync } from 'node:fs';

import test from 'ava';

import { codeBlocksOf, commandsOf, inlineCommandsOf, markdownFiles, npmCommand } from '#test/support/documents.ts';
import { type Ended, runEntry } from '#test/support/run-entry.ts';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};
const entryOf = (name: string) => scripts[name]?.replace('node ', '') ?? '';

/**
 * What a person starts in a terminal: the others are `npm run cli`, with a help of its own, and services. One at a
 * time: each starts a process.
 */
const watched = Object.keys(scripts).filter((name) => /^(?:test|src\/dev)\//.test(entryOf(name)));
const benchmarks = globSync('test/bench/*.ts')
  .map((path) => path.replace('test/bench/', '').replace('.ts', ''))
  .filter((name) => name !== 'main');

/** The scripts that `npm test` itself runs, and those whose commands another test runs in full. */
const runElsewhere = new Set(['test', 'typecheck', 'lint', 'format', 'cli', 'demo', 'build', 'client:types']);
const documentedCommands = new Set(
  markdownFiles
    .flatMap((file) => [
      ...codeBlocksOf(file)
        .filter(({ language, runBy, notRun }) => !['text', 'json', 'yaml'].includes(language) && !runBy && !notRun)
        .flatMap(commandsOf),
      ...inlineCommandsOf(file),
    ])
    .filter((command) => {
      const [, script] = npmCommand.exec(command) ?? [];
      return script !== undefined && script in scripts && !runElsewhere.has(script);
    }),
);

/** Each help is printed once, for all that read it. */
const helps = new Map<string, Promise<Ended>>();
function helpOf(script: string, ...words: string[]): Promise<Ended> {
  const called = [entryOf(script), ...words].join(' ');
  const help = helps.get(called) ?? runEntry(entryOf(script), [...words, '--help'], {});
  helps.set(called, help);
  return help;
}

for (const name of watched) {
  test.serial(`npm run ${name} -- --help says what it does, with an example, and does nothing`, async (t) => {
    const { code, out, err } = await helpOf(name);
    t.is(code, 0, err);
    t.regex(out, /^Usage: npm (?:run )?[a-z:-]+/);
    t.regex(out, /\nExample:\n {2}npm /);
  });
}

for (const name of watched.filter((name) => name !== 'test')) {
  test.serial(`npm run ${name} rejects an unknown option and refers to its help`, async (t) => {
    const { code, out, err } = await runEntry(entryOf(name), ['--nonsense'], {});
    t.is(code, 2);
    t.is(out, '');
    t.regex(err, /^There is no .*--nonsense/);
    t.notRegex(err, /\n\s+at /, 'a stack is nothing for who called it');
  });
}

/** What loads nothing else. */
const light = /^(node:|#src\/lib\/|#src\/cli\/lib\/script-options\.ts$|\.\/lib\/benchmarks\.ts$)/;

for (const name of watched.filter((name) => name !== 'test')) {
  test(`npm run ${name} reads its options before it loads what it runs`, (t) => {
    const text = readFileSync(new URL(`../../${entryOf(name)}`, import.meta.url), 'utf8');
    const loaded = [...text.matchAll(/^import (?!type\b)[^;]*? from '([^']+)'/gm)].map(
      ([, specifier = '']) => specifier,
    );
    t.deepEqual(
      loaded.filter((specifier) => !light.test(specifier)),
      [],
    );
  });
}

test.serial('every benchmark explains itself', async (t) => {
  const { out: overview } = await helpOf('bench');
  for (const name of benchmarks) {
    t.true(overview.includes(`  ${name}\n`), name);
    const { code, out } = await helpOf('bench', name);
    t.is(code, 0, name);
    t.true(out.startsWith(`Usage: npm run bench -- ${name}`), out);
  }
});

for (const command of documentedCommands) {
  test.serial(`${command} names a script, and options that it has`, async (t) => {
    const [, script = '', given = ''] = npmCommand.exec(command) ?? [];
    const words = given.split(' ').filter((word) => word !== '');
    const name = script === 'bench' ? words.splice(0, 1) : [];
    const { code, out, err } = await helpOf(script, ...name);
    t.is(code, 0, err);
    for (const word of words.filter((word) => word.startsWith('--')))
      t.true(out.includes(`  ${word} `) || out.includes(`  ${word.replace('--', '--no-')} `), `${word}\n${out}`);
  });
}

test.serial("readOptions rejects an invalid number and an unknown value by the option's name", async (t) => {
  const number = await runEntry(entryOf('chaos'), ['--orders', 'many'], {});
  t.is(number.code, 2);
  t.is(number.err, '--orders takes a number.\nSee npm run chaos -- --help.\n');
  const word = await runEntry(entryOf('chaos'), ['--only', 'mayhem'], {});
  t.is(word.err, '--only is one of everything, kills.\nSee npm run chaos -- --help.\n');
  const mistyped = await runEntry(entryOf('chaos'), ['--order', '3'], {});
  t.regex(mistyped.err, /^There is no option --order\. Did you mean --orders\?\n/);
});

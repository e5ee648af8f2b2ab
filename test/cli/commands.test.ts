import { execFile, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { commands } from '#src/cli/commands.ts';
import { defineCommand, Failure } from '#src/cli/lib/command.ts';
import { announceStack, findRunningStack } from '#src/cli/lib/running-stack.ts';
import { DomainError } from '#src/lib/errors.ts';
import { callCli } from '#test/support/cli.ts';

/* The machinery of the command line, shown on commands of its own. */
const greet = defineCommand({
  name: 'kettle boil',
  summary: 'Boil water.',
  parameters: { kettle: 'Which one.' },
  options: {
    'dry-run': { type: 'boolean', description: 'Only look.' },
    degrees: { type: 'string', value: 'n', description: 'How hot.' },
  },
  async run({ parameters, options, terminal }) {
    terminal.progress('Heating.');
    if (parameters.kettle === 'rusty') throw new Failure('The kettle leaks.', [{ where: 'bottom' }]);
    if (parameters.kettle === 'sold') throw new DomainError('not_found', 'not_found', 'There is no such kettle.');
    if (parameters.kettle === 'shared') throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    if (parameters.kettle === 'cursed') throw new TypeError('undefined is not a kettle');
    return {
      lines: [`${parameters.kettle} ${options.degrees ?? 100} ${options['dry-run']}`],
      data: { kettle: parameters.kettle },
    };
  },
});

/** A command that does one thing after the other, and prints each when it is done. */
const fill = defineCommand({
  name: 'fill',
  summary: 'Fill kettles.',
  parameters: { kettle: 'Which one.' },
  takesMore: true,
  async run({ parameters, more, terminal }) {
    for (const kettle of [parameters.kettle, ...more]) {
      if (kettle === 'rusty') throw new Failure('The kettle leaks.', [{ where: 'bottom' }]);
      terminal.print({ lines: [`${kettle} is full.`], data: { kettle } });
    }
    return { lines: ['All are full.'], data: undefined };
  },
});

const call = (...words: string[]) => callCli(words, {}, [greet, fill]);

test('a command may take several of its last parameter, and print a part for each when it is done', async (t) => {
  t.is((await call('fill', 'copper', 'steel')).out, 'copper is full.\nsteel is full.\nAll are full.\n');
  const json = await call('fill', 'copper', 'steel', '--json');
  t.deepEqual(JSON.parse(json.out), [{ kettle: 'copper' }, { kettle: 'steel' }]);
  t.regex((await call('fill')).err, /^fill needs <kettle>\.\n/);
  t.regex((await call('fill', '--help')).out, /^Usage: npm run cli -- fill <kettle>… \[options\]\n/);

  t.is((await call('fill', 'copper', 'rusty')).out, 'copper is full.\n', 'what was printed stays printed');
  const failed = await call('fill', 'copper', 'rusty', '--json');
  t.is(failed.code, 1);
  t.deepEqual(JSON.parse(failed.out), [
    { kettle: 'copper' },
    { error: 'The kettle leaks.', problems: [{ where: 'bottom' }] },
  ]);
});

test('a command gets its parameters and options, and prints to standard output', async (t) => {
  const boiled = await call('kettle', 'boil', 'copper', '--degrees', '80', '--dry-run');
  t.deepEqual(boiled, { code: 0, out: 'copper 80 true\n', err: 'Heating.\n' });
  t.is((await call('kettle', 'boil', 'copper')).out, 'copper 100 false\n');
  t.is((await call('kettle', 'boil', '--degrees=90', 'copper')).out, 'copper 90 false\n');
});

test('--json prints one JSON value and nothing else', async (t) => {
  const { out } = await call('kettle', 'boil', 'copper', '--json');
  t.deepEqual(JSON.parse(out), { kettle: 'copper' });
});

test('a usage error ends with code 2 and a suggestion', async (t) => {
  const cases: [string[], RegExp][] = [
    [[], /Which command\?/],
    [['kettle'], /There are these commands: kettle boil\./],
    [['kettel', 'boil'], /There is no command "kettel"\. Did you mean kettle boil\?/],
    [['--verbose'], /Which command\?/],
    [['kettle', 'boil'], /kettle boil needs <kettle>\./],
    [['kettle', 'boil', 'a', 'b', 'c'], /takes no "b c"/],
    [['kettle', 'boil', 'a', '--dryrun'], /has no option --dryrun\. Did you mean --dry-run\?/],
    [['kettle', 'boil', 'a', '--degrees'], /--degrees/],
    [['kettle', 'boil', 'a', '--dry-run=yes'], /--dry-run/],
  ];
  for (const [words, message] of cases) {
    const { code, out, err } = await call(...words);
    t.deepEqual([code, out], [2, ''], words.join(' '));
    t.regex(err, message);
    t.regex(
      err,
      words[0] === 'kettle' && words.length > 1
        ? /See npm run cli -- kettle boil --help\.\n$/
        : /See npm run cli -- --help\.\n$/,
    );
  }
});

test('a command ends without an error when the reader of its pipe ends', async (t) => {
  const { stderr } = await promisify(execFile)(
    'bash',
    ['-o', 'pipefail', '-c', `"${process.execPath}" src/cli/main.ts openapi | head -n 1`],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
    },
  );
  t.is(stderr, '');
});

test('a command whose output cannot be written says so in one line, and ends with code 1', (t) => {
  const [full, folder] = [openSync('/dev/full', 'w'), fileURLToPath(new URL('../..', import.meta.url))];
  t.teardown(() => closeSync(full));
  const { status, stderr } = spawnSync(process.execPath, ['src/cli/main.ts', 'openapi'], {
    cwd: folder,
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  t.is(stderr, 'The output cannot be written: ENOSPC: no space left on device, write.\n');
  t.is(status, 1);
});

test('options that npm takes for its own, because -- is missing, are reported and nothing is done', (t) => {
  const npm = (...words: string[]) =>
    spawnSync('npm', ['run', '--silent', 'cli', ...words], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      encoding: 'utf8',
    });
  for (const option of ['--dry-run', '--set-stock']) {
    const { status, stderr } = npm('apply', 'no-such-file', option);
    t.true(
      stderr.startsWith(`npm took ${option} for its own. Write -- before the command: npm run cli -- apply …\n`),
      stderr,
    );
    t.is(status, 2);
  }
  t.is(
    npm('apply', 'no-such-file', '--json', '--', '--dry-run').stderr.split('\n')[0],
    'no-such-file cannot be read: no such file or folder.',
  );
});

test('a file is meant from the folder in which npm was called', (t) => {
  const { stderr } = spawnSync('npm', ['run', '--silent', 'cli', '--', 'apply', 'store.example.yaml'], {
    cwd: fileURLToPath(new URL('../../src/cli/apply', import.meta.url)),
    env: { PATH: process.env['PATH'], DATABASE_URL: 'none' },
    encoding: 'utf8',
  });
  t.regex(stderr, /^The environment is not fit to start with:\n/);
});

test('an expected error ends with code 1 and one line', async (t) => {
  t.deepEqual(await call('kettle', 'boil', 'rusty'), { code: 1, out: '', err: 'Heating.\nThe kettle leaks.\n' });
  t.deepEqual(await call('kettle', 'boil', 'sold'), { code: 1, out: '', err: 'Heating.\nThere is no such kettle.\n' });
  t.is(
    (await call('kettle', 'boil', 'shared')).err,
    'Heating.\nOther operations were changing the same data, so this one did not finish: try again.\n',
    'what it finished before, such as a part of the secrets that it rotates, stays',
  );
});

test('a failure with --json is printed as JSON', async (t) => {
  const { code, out } = await call('kettle', 'boil', 'rusty', '--json');
  t.is(code, 1);
  t.deepEqual(JSON.parse(out), { error: 'The kettle leaks.', problems: [{ where: 'bottom' }] });
});

test('only an unexpected error shows a stack', async (t) => {
  const { code, err } = await call('kettle', 'boil', 'cursed');
  t.is(code, 1);
  t.regex(err, /TypeError: undefined is not a kettle\n +at /);
});

test('--help explains all commands and each one', async (t) => {
  for (const words of [['--help'], ['-h'], ['help']]) {
    const { code, out } = await callCli(words);
    t.is(code, 0);
    for (const { name, summary } of commands) t.true(out.includes(name) && out.includes(summary), name);
  }
  for (const { name, parameters, options } of commands) {
    for (const words of [
      [...name.split(' '), '--help'],
      ['help', ...name.split(' ')],
      [...name.split(' '), '-h'],
    ]) {
      const { code, out, err } = await callCli(words);
      t.deepEqual([code, err], [0, ''], words.join(' '));
      t.true(out.startsWith(`Usage: npm run cli -- ${name}`));
      for (const parameter of Object.keys(parameters)) t.true(out.includes(`<${parameter}>`), parameter);
      for (const option of [...Object.keys(options), 'json', 'help']) t.true(out.includes(`--${option}`), option);
    }
  }
});

test('the help of a command says of each option whether it is required', async (t) => {
  for (const { name, parameters, options } of commands) {
    const { code, err } = await callCli([...name.split(' '), ...Object.keys(parameters).map(() => 'x')]);
    const missing = code === 2 ? [...err.matchAll(/--([a-z-]+) is required/g)].map(([, option]) => option ?? '') : [];
    const named = Object.keys(options).filter((option) => options[option]?.description.startsWith('Required. '));
    t.deepEqual(missing.toSorted(), named.toSorted(), `${name}: ${err}`);
  }
});

test('every command has a summary and a name of its own', (t) => {
  t.is(new Set(commands.map(({ name }) => name)).size, commands.length);
  for (const { name, summary } of commands) {
    t.regex(name, /^[a-z]+([ :-][a-z]+)*$/);
    t.regex(summary, /^[A-Z].{10,}\.$/);
  }
});

test('the command line finds a running stack, and none that has ended', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'stack-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'stack', 'dev.json');
  t.is(findRunningStack(file), undefined);

  const announced = announceStack({ DATABASE_URL: 'postgres://here' }, file);
  t.deepEqual(findRunningStack(file), { DATABASE_URL: 'postgres://here' });
  t.is(statSync(file).mode & 0o077, 0, 'its keys are for this account alone');

  const another = { ...JSON.parse(readFileSync(file, 'utf8')), pid: 2 ** 22 + 1 };
  writeFileSync(file, JSON.stringify(another));
  t.is(findRunningStack(file), undefined, 'its process is gone');
  announced.unpublish();
  t.deepEqual(JSON.parse(readFileSync(file, 'utf8')), another, "another's is left alone");

  announceStack({}, file).unpublish();
  t.throws(() => statSync(file), { code: 'ENOENT' });
});

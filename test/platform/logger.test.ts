import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('../..', import.meta.url));

const logMuch = `
  import { createLogger } from '#src/platform/logger.ts';
  const log = createLogger({ level: 'info', process: 'test' });
  const phrase = 'x'.repeat(1000);
  for (let batch = 0; batch < 100; batch += 1) {
    for (let line = 0; line < 1000; line += 1) log.info({}, phrase);
    await new Promise(setImmediate);
  }
  process.stderr.write(String(process.memoryUsage().heapUsed));
  process.kill(process.pid, 'SIGKILL');`;

test('a process drops lines of its log while they are not read, and its memory stays bounded', async (t) => {
  const process = spawn(globalThis.process.execPath, ['--input-type=module', '--eval', logMuch], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => process.stdout.destroy());
  const heapUsed = Number(await text(process.stderr));
  t.true(heapUsed > 0);
  t.true(heapUsed < 80_000_000, `${heapUsed} bytes after 100 MB of lines`);
});

const stopWhileUnread = `
  import { runUntilSignalled } from '#src/lib/process.ts';
  import { createLogger } from '#src/platform/logger.ts';
  const log = createLogger({ level: 'info', process: 'test' });
  await runUntilSignalled(async () => {
    for (let line = 0; line < 1000; line += 1) log.info({}, 'x'.repeat(1000));
    setInterval(() => undefined, 1000);
    setTimeout(() => process.stderr.write('running'), 500);
    return { log, stop: async () => undefined };
  });`;

test('a process whose log is not read ends when it is stopped', async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', stopWhileUnread], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => {
    child.stdout.destroy();
    child.kill('SIGKILL');
  });
  await once(child.stderr, 'data');
  child.kill('SIGTERM');
  t.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
});

test('a process whose log cannot be written serves, and ends when it is stopped', async (t) => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', stopWhileUnread], {
    cwd: root,
    stdio: ['ignore', full, 'pipe'],
  });
  t.teardown(() => {
    closeSync(full);
    child.kill('SIGKILL');
  });
  const [said] = await once(child.stderr ?? child, 'data');
  t.is(String(said), 'running');
  child.kill('SIGTERM');
  t.deepEqual(await once(child, 'exit'), [0, null]);
});

test('a process that is stopped has written its whole log', async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', stopWhileUnread], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [log, [code]] = await Promise.all([
    text(child.stdout),
    once(child, 'close'),
    once(child.stderr, 'data').then(() => child.kill('SIGTERM')),
  ]);
  t.is(code, 0);
  t.is(log.trimEnd().split('\n').length, 1002);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { restartOnExit, type StackProcess, startProcess } from '#src/dev/stack/start-process.ts';
import { givenVariables } from '#src/dev/stack/start-stack.ts';
import { until } from '#test/support/until.ts';

const onStop = fileURLToPath(new URL('../../src/dev/stack/on-stop.ts', import.meta.url));
const program = `
  const { onStop } = await import(${JSON.stringify(onStop)});
  onStop(async () => console.log('stopped'), 0);
  setInterval(() => undefined, 1000);
  console.log('up');`;

test('onStop stops a process that npm started when the shell between them is stopped', async (t) => {
  // The further command makes the shell wait for the program, as npm's does.
  const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; exit', process.execPath, program], {
    env: { ...process.env, npm_lifecycle_event: 'dev' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.trim() === 'up') shell.kill('SIGTERM');
  });
  await once(shell.stdout, 'close');
  t.is(printed, 'up\nstopped\n');
});

test('restartOnExit reports a process that was killed and starts it again, and leaves a stopped one stopped', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'stack-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const entry = join(folder, 'up.ts');
  writeFileSync(entry, `console.log('"up"'); setInterval(() => undefined, 1000);`);
  const started: StackProcess[] = [];
  const reports: string[] = [];
  const start = async () => {
    const process = startProcess('worker', entry, {});
    started.push(process);
    await process.waitFor('up');
    return process;
  };
  await restartOnExit(start, (message) => reports.push(message));
  process.kill(started[0]?.pid ?? 0, 'SIGKILL');
  await until(() => Promise.resolve(started.length === 2));
  await started[1]?.waitFor('up');
  await started[1]?.stop();
  t.deepEqual(reports, ['worker ended (SIGKILL) and is started again.']);
  t.is(started.length, 2);
});

test('givenVariables returns the documented variables of the shell, except those that a stack sets itself', (t) => {
  const shell = {
    RATE_LIMIT_SCALE: '100',
    WEBHOOK_RETRY_SCHEDULE: '0s,1s',
    DATABASE_URL: 'postgres://there',
    SMTP_URL: '',
    APP_MODE: 'live',
    LOCAL_MODE: '0',
    PORT: '3000',
    LOG_LEVEL: 'silent',
    HOME: '/root',
  };
  t.deepEqual(givenVariables(shell), {
    RATE_LIMIT_SCALE: '100',
    WEBHOOK_RETRY_SCHEDULE: '0s,1s',
    DATABASE_URL: 'postgres://there',
  });
});

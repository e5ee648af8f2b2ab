import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';

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

/** A process that starts while its database is there, unless it is broken. */
async function restartable(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'stack-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const entry = join(folder, 'up.ts');
  writeFileSync(entry, `if (process.env.BROKEN) process.exit(1); console.log('"up"'); setInterval(() => 0, 1000);`);
  const state = {
    started: [] as StackProcess[],
    reports: [] as string[],
    isThere: true,
    goesAway: false,
    isBroken: false,
    checks: 0,
  };
  const start = async () => {
    if (state.goesAway) state.isThere = false;
    const process = startProcess('worker', entry, state.isBroken || !state.isThere ? { BROKEN: '1' } : {});
    state.started.push(process);
    await process.waitFor('up');
    return process;
  };
  await restartOnExit(
    start,
    (message) => state.reports.push(message),
    async () => {
      state.checks += 1;
      return state.isThere;
    },
  );
  return { state, kill: () => process.kill(state.started.at(-1)?.pid ?? 0, 'SIGKILL') };
}

test('restartOnExit reports a process that was killed and starts it again, and leaves a stopped one stopped', async (t) => {
  const { state, kill } = await restartable(t);
  kill();
  await until(() => Promise.resolve(state.started.length === 2));
  await state.started[1]?.waitFor('up');
  await state.started[1]?.stop();
  t.deepEqual(state.reports, ['worker ended (SIGKILL) and is started again.']);
  t.is(state.started.length, 2);
});

test('restartOnExit starts a process that was killed when PostgreSQL responds again', async (t) => {
  const { state, kill } = await restartable(t);
  state.isThere = false;
  kill();
  await until(() => Promise.resolve(state.checks > 1));
  t.is(state.started.length, 1);
  state.isThere = true;
  await until(() => Promise.resolve(state.started.length === 2));
  await state.started[1]?.waitFor('up');
  await state.started[1]?.stop();
  t.deepEqual(state.reports, ['worker ended (SIGKILL) and is started again when PostgreSQL responds.']);
});

test('restartOnExit starts a process again that failed because PostgreSQL ended meanwhile', async (t) => {
  const { state, kill } = await restartable(t);
  state.goesAway = true;
  kill();
  await until(() => Promise.resolve(state.reports.length === 2));
  state.goesAway = false;
  state.isThere = true;
  await until(() => Promise.resolve(state.started.length === 3));
  await state.started[2]?.waitFor('up');
  await state.started[2]?.stop();
  t.deepEqual(state.reports, [
    'worker ended (SIGKILL) and is started again.',
    'worker ended (while it started) and is started again when PostgreSQL responds.',
  ]);
});

test('restartOnExit leaves a process ended that cannot start although PostgreSQL responds', async (t) => {
  const { state, kill } = await restartable(t);
  state.isBroken = true;
  kill();
  await until(() => Promise.resolve(state.reports.length === 2));
  t.deepEqual(state.reports, ['worker ended (SIGKILL) and is started again.', 'worker ended (1):\n']);
  t.is(state.started.length, 2);
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

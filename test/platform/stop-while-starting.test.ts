import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

import test, { type ExecutionContext } from 'ava';

import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entries = ['src/server.ts', 'workers/all.ts', 'workers/relay.ts'];

function start(
  t: ExecutionContext,
  entry: string,
  given: Record<string, string>,
  options: string[] = [],
): ChildProcess {
  const child = spawn(process.execPath, [...options, entry], {
    cwd: root,
    env: testEnvironment(given),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** A server that accepts connections and sends nothing. */
async function openSilent(t: ExecutionContext) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

for (const entry of entries) {
  test(`${entry} that gets SIGTERM while its modules load ends with 0`, async (t) => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) {
        if (url.endsWith('/src/config.ts')) process.kill(process.pid, 'SIGTERM');
        return next(url, context);
      } });`;
    const child = start(t, entry, {}, ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]);
    t.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test(`${entry} that gets SIGTERM while it waits for PostgreSQL ends with 0`, async (t) => {
    const { server, host } = await openSilent(t);
    const connected = once(server, 'connection');
    const child = start(t, entry, { DATABASE_URL: `postgres://u:p@${host}/d` });
    await connected;
    child.kill('SIGTERM');
    t.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test(`${entry} that gets SIGTERM while it waits for Redis logs that it stops, and ends with 0`, async (t) => {
    const { host } = await openSilent(t);
    const { url, drop } = await createTestDatabase();
    t.teardown(drop);
    const child = start(t, entry, { DATABASE_URL: url, REDIS_URL: `redis://${host}`, LOG_LEVEL: 'info' });
    const ended = once(child, 'close');
    let logged = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (/"(listening|working)"/.test(text)) child.kill('SIGTERM');
      logged += text;
    });
    t.deepEqual(await ended, [0, null]);
    t.regex(logged, /"signal":"SIGTERM","msg":"stopping"\}\n.*"msg":"stopped"\}\n$/s);
  });
}

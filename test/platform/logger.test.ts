import { spawn } from 'node:child_process';
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

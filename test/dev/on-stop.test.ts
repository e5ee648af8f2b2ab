import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import test from 'ava';

const onStop = fileURLToPath(new URL('../../src/dev/stack/on-stop.ts', import.meta.url));
const program = `
  const { onStop } = await import(${JSON.stringify(onStop)});
  onStop(async () => console.log('stopped'), 0);
  setInterval(() => undefined, 1000);
  console.log('up');`;

test('what npm started stops when the shell between them is stopped', async (t) => {
  // The shell stays between, as npm's does: it has something to do afterwards.
  const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; exit', process.execPath, program], {
    env: { ...process.env, npm_lifecycle_event: 'dev' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.trim() === 'up') shell.kill('SIGTERM');
  });
  await once(shell.stdout, 'close');
  t.is(said, 'up\nstopped\n');
});

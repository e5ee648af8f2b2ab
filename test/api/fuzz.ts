import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/* `npm run fuzz -- --requests 20000 --seed 7`: the long form of test/api/fuzz.test.ts. The seed repeats a run. */

const { values } = parseArgs({ options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string' } } });
const tests = spawn(process.execPath, ['test/run.ts', 'test/api/fuzz.test.ts', '--timeout=60m'], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  stdio: 'inherit',
  env: { ...process.env, FUZZ_REQUESTS: values.requests, ...(values.seed && { FUZZ_SEED: values.seed }) },
});
const [code] = await once(tests, 'close');
process.exitCode = code ?? 1;

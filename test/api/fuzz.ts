import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { readOptions, seedOption } from '#src/cli/lib/script-options.ts';

/*
 * `npm run fuzz -- --requests 20000 --seed 7`: the long form of test/api/fuzz.test.ts, and the processor time of each
 * route's most expensive request. The seed repeats a run.
 */

const { requests, seed } = readOptions(
  'Sends nearly valid requests to every route: none may return 500, or what it does not document.\n' +
    'Then expensive ones: none may take 50 ms of processor time.',
  'npm run fuzz --',
  {
    requests: { default: 20_000, description: 'Requests to send.' },
    seed: seedOption,
  },
  '--requests 5000 --seed 7',
);
const tests = spawn(
  process.execPath,
  ['test/run.ts', 'test/api/fuzz.test.ts', 'test/api/processor-time.test.ts', '--timeout=60m'],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, FUZZ_REQUESTS: String(requests), FUZZ_SEED: String(seed) },
  },
);
const [code] = await once(tests, 'close');
process.exitCode = code ?? 1;

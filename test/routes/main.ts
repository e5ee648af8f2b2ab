import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readOptions } from '#src/cli/lib/script-options.ts';

/*
 * `npm run routes`: runs the tests of the API and prints the responses of each route, and the documented ones that no
 * test got.
 */

const { tests: pattern } = readOptions(
  'Runs the tests of the API and prints, route by route, the number of SQL statements and the responses that were seen.\n' +
    'Exits with 1 when a test fails or a documented response was not seen.',
  'npm run routes --',
  { tests: { default: 'test/api/**', description: 'The tests to run.' } },
  "'test/api/cart*'",
);
const { routes } = await import('#src/api/routes.ts');
const { coverageOf } = await import('./coverage.ts');
const { readRecords } = await import('./read-records.ts');
const { describeRoutes } = await import('./table.ts');

const folder = mkdtempSync(join(tmpdir(), 'storefront-routes-'));
const root = fileURLToPath(new URL('../..', import.meta.url));

try {
  const tests = spawn(process.execPath, ['test/run.ts', pattern], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, TEST_ROUTE_RECORDS: folder },
  });
  const [code] = await once(tests, 'close');
  const coverage = coverageOf(routes, readRecords(folder));
  console.log(describeRoutes(coverage));
  process.exitCode = code !== 0 || coverage.some(({ gaps }) => gaps.length > 0) ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { explain } from '#src/cli/lib/script-options.ts';
import { migrate } from '#src/database/migrate.ts';
import { ensureChromium, MissingProgramError } from '#src/dev/embedded/programs.ts';
import { startEmbedded } from '#src/dev/embedded/start-embedded.ts';
import { runAva, type Tally } from '#test/run-ava.ts';
import { createTemplateDatabase } from '#test/support/database.ts';

/*
 * What `npm test` runs: each test file on its own copy of one migrated database. Arguments go to AVA: file names, --match
 * and so on. Without any, every test is run, beside the type-check and the linter, and then the responses of the routes
 * are compared with the documented ones (test/routes). TEST_DATABASE_URL and TEST_REDIS_URL name other services to use, and
 * TEST_DATABASE_ADMIN_URL a role that creates databases for that of TEST_DATABASE_URL; REQUIRE_CHROMIUM=1 makes a
 * missing browser a failure. The last line is the count.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

const args = process.argv.slice(2);
if (args.some((word) => word === '--help' || word === '-h')) {
  console.log(
    explain(
      'Checks types and style, and runs every test on a PostgreSQL and a Redis of its own.\n' +
        'Arguments go to AVA (files, --match and so on), and only what they name is run.',
      'npm test --',
      {},
      'test/domain/orders',
    ),
  );
  process.exit(0);
}
const records = mkdtempSync(join(tmpdir(), 'storefront-routes-'));
const runsAll = args.length === 0;
const [tests, ...checks] = await Promise.all([
  runTestsWithServices(args),
  ...(runsAll ? [checkTypes('.'), checkTypes('src/console'), checkStyle()] : []),
]);
for (const { output } of checks) process.stdout.write(output);
const { passed } = tests;
const failed =
  tests.failed +
  checks.reduce((sum, check) => sum + check.failed, 0) +
  (runsAll ? await checkRoutes() : 0) +
  (passed + tests.failed === 0 ? 1 : 0);
rmSync(records, { recursive: true, force: true });
process.exitCode = failed > 0 ? 1 : 0;
console.log(`${passed} passed, ${failed} failed`);

/** Run a checker of this project's source on all of it: what it finds is printed, and counts as one failure. */
async function check(
  title: string,
  program: string,
  args: readonly string[],
): Promise<{ output: string; failed: number }> {
  const checker = spawn(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(checker, 'close');
  const output = await text(checker.stdout);
  const [code] = await ended;
  return code === 0 ? { output: '', failed: 0 } : { output: `\n${title}:\n${output}\n`, failed: 1 };
}

function checkTypes(project: string) {
  return check(`The types of ${project} do not hold`, 'typescript/bin/tsc', [
    '--project',
    project,
    // Each further checker reads the types of every package again, while the tests need the processors.
    '--checkers',
    '1',
    '--pretty',
    String(process.stdout.isTTY ?? false),
  ]);
}

function checkStyle() {
  return check('npm run lint found', '@biomejs/biome/bin/biome', ['ci', '--reporter=github']);
}

/** Routes with a documented response that no test got: one failure that lists them. */
async function checkRoutes(): Promise<number> {
  const [{ routes }, { coverageOf }, { readRecords }, { gapsOf }] = await Promise.all([
    import('#src/api/routes.ts'),
    import('#test/routes/coverage.ts'),
    import('#test/routes/read-records.ts'),
    import('#test/routes/table.ts'),
  ]);
  const gaps = gapsOf(coverageOf(routes, readRecords(records)));
  if (gaps.length === 0) return 0;
  console.log(`\nThe tests leave out responses that routes document (npm run routes):\n${gaps.join('\n')}\n`);
  return 1;
}

async function runTestsWithServices(args: string[]): Promise<Tally> {
  const {
    TEST_DATABASE_URL: givenDatabase,
    TEST_DATABASE_ADMIN_URL: givenAdmin,
    TEST_REDIS_URL: givenRedis,
  } = process.env;
  try {
    const [chromium, embedded] = await Promise.all([
      chromiumOrWhyNot(),
      startEmbedded({ postgres: !givenDatabase, redis: !givenRedis, autovacuum: false }),
    ]);
    try {
      process.env['TEST_DATABASE_URL'] = givenDatabase ?? embedded.databaseUrl ?? '';
      process.env['TEST_DATABASE_ADMIN_URL'] = givenAdmin ?? embedded.databaseAdminUrl ?? givenDatabase;
      await migrate(await createTemplateDatabase());
      const tally = await runAva(args, {
        TEST_REDIS_URL: givenRedis ?? embedded.redisUrl,
        CHROMIUM_PATH: chromium.path,
        TEST_ROUTE_RECORDS: process.env['TEST_ROUTE_RECORDS'] ?? records,
      });
      return { passed: tally.passed, failed: tally.failed + chromium.failed };
    } finally {
      await embedded.stop();
    }
  } catch (error) {
    const reason = error instanceof MissingProgramError ? error.message : error;
    console.error('The tests could not be run.', reason);
    return { passed: 0, failed: 1 };
  }
}

async function chromiumOrWhyNot(): Promise<{ path: string | undefined; failed: number }> {
  try {
    return { path: await ensureChromium(), failed: 0 };
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
    console.error(`Browser tests are not run. ${error.message}`);
    return { path: undefined, failed: process.env.REQUIRE_CHROMIUM === '1' ? 1 : 0 };
  }
}

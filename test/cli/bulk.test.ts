import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { callCli } from '#test/support/cli.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const { DATABASE_URL: _another, ...environment } = testEnvironment();
const test = anyTest as TestFn<TestContext>;
useContext(test, { environment });

const folder = mkdtempSync(join(tmpdir(), 'bulk-'));
test.after.always(() => rmSync(folder, { recursive: true }));

/** Call the command line while a worker runs. */
async function call({ services }: TestContext, ...words: string[]) {
  let isEnded = false;
  const ended = callCli(words, { ...environment, DATABASE_URL: services.config.databaseUrl }).finally(() => {
    isEnded = true;
  });
  while (!isEnded) {
    await runJobs(services);
    await new Promise(setImmediate);
  }
  return ended;
}

test.serial('import and export move products through files, with their progress and the rejected rows', async (t) => {
  const { tenant } = t.context;
  const [given, errors, written] = ['given.csv', 'errors.csv', 'written.csv'].map((name) => join(folder, name));
  writeFileSync(given ?? '', 'slug,name,sku,price_cents\nbowl,Bowl,B-1,100\nBad Slug,Bad,B-2,100\n');
  const dry = await call(t.context, 'import', tenant.slug, 'products', given ?? '', '--dry-run');
  t.is(
    dry.out,
    '1 created, 0 updated, 0 unchanged.\n' +
      '1 row was rejected. With --errors <path> all of them are written to a file. The first:\n' +
      '  Row 3: slug must be written like oak-bowl.\n' +
      'Dry run: nothing was changed.\n',
  );
  const imported = await call(t.context, 'import', tenant.slug, 'products', given ?? '', '--errors', errors ?? '');
  t.is(imported.code, 1, 'rows were rejected');
  t.regex(imported.err, /\[#{20}\] 100 %, 2 of 2 rows/);
  t.regex(readFileSync(errors ?? '', 'utf8'), /^Bad Slug,Bad,B-2,100,3,slug must be/m);

  const exported = await call(t.context, 'export', tenant.slug, 'products', '--to', written ?? '');
  t.deepEqual([exported.code, exported.out], [0, `1 rows were written to ${written}.\n`]);
  t.regex(readFileSync(written ?? '', 'utf8'), /^bowl,Bowl,/m);
});

test.serial('import and export end with a usage error for an unknown kind and a missing file', async (t) => {
  const { tenant } = t.context;
  t.is((await call(t.context, 'import', tenant.slug, 'nothing', 'x.csv')).code, 2);
  t.is((await call(t.context, 'import', tenant.slug, 'stock', 'x.csv', '--format', 'shopify')).code, 2);
  t.is((await call(t.context, 'export', tenant.slug, 'nothing', '--to', 'x.csv')).code, 2);
  t.is((await call(t.context, 'export', tenant.slug, 'stock')).code, 2);
});

test.serial('import, export and apply end with a usage error for a file that cannot be opened', async (t) => {
  const { tenant } = t.context;
  const [lost, given] = [join(folder, 'lost', 'file.csv'), join(folder, 'stock.csv')];
  writeFileSync(given, 'sku,quantity\nB-1,1\n');
  const [unread, unwritten] = ['cannot be read', 'cannot be written'];
  for (const [words, path, problem] of [
    [['import', tenant.slug, 'stock', lost], lost, `${unread}: no such file or folder`],
    [['import', tenant.slug, 'stock', folder], folder, `${unread}: it is a folder`],
    [['import', tenant.slug, 'stock', given, '--errors', lost], lost, `${unwritten}: no such file or folder`],
    [['export', tenant.slug, 'stock', '--to', folder], folder, `${unwritten}: it is a folder`],
    [['apply', folder], folder, `${unread}: it is a folder`],
  ] as const) {
    const { code, err } = await call(t.context, ...words);
    t.is(code, 2);
    t.is(err, `${path} ${problem}.\nSee npm run cli -- ${words[0]} --help.\n`);
  }
});

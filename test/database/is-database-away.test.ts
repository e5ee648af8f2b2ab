import type { Socket } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import pg from 'pg';
import { replyToError } from '#src/api/lib/reply-to-error.ts';
import { describeFailure } from '#src/cli/lib/describe-failure.ts';
import { isDatabaseAway, isDatabaseUnavailable } from '#src/database/is-database-away.ts';
import { parsePostgresUrl } from '#src/database/postgres-url.ts';
import { transact } from '#src/database/transact.ts';
import { freePort } from '#src/dev/embedded/free-port.ts';
import { rawSql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { outcomeOf } from '#workers/runtime/outcome.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('an error with which PostgreSQL says that it is unavailable differs from its rejection of a statement', async (t) => {
  const unavailable = ['08006', '25006', '53000', '53100', '53200', '53300', '57P01', '57P02', '57P03'];
  const rejected = ['23505', '40001', '40P01', '53400', '55P03', '57014', '22P02', 'XX000'];
  for (const code of [...unavailable, ...rejected]) {
    const failing = rawSql(`do $$ begin raise exception using errcode = '${code}'; end $$`);
    const failure = await t.throwsAsync(transact(t.context.ctx, (ctx) => ctx.tx.execute(failing)));
    const isUnavailable = unavailable.includes(code);
    t.deepEqual([isDatabaseUnavailable(failure), isDatabaseAway(failure)], [isUnavailable, isUnavailable], code);
    if (isUnavailable) {
      t.like(replyToError(failure, 'req_1'), { status: 503, headers: { 'retry-after': '2' } }, code);
      t.notRegex(describeFailure(failure).message, /\n/, `${code} is one line at the command line`);
    }
  }
});

test('a connection that PostgreSQL rejects means that it is unavailable, for whatever reason', async (t) => {
  const { user, password, ...config } = parsePostgresUrl(t.context.services.config.databaseUrl);
  const client = new pg.Client({ ...config, user: 'nobody', password: 'wrong' });
  t.true(isDatabaseUnavailable(await t.throwsAsync(client.connect())));
});

test('what the driver says of a connection that was lost or does not respond means that PostgreSQL is unavailable', async (t) => {
  const client = new pg.Client({ ...parsePostgresUrl(t.context.services.config.databaseUrl), query_timeout: 100 });
  client.on('error', () => undefined);
  await client.connect();
  const late = await t.throwsAsync(client.query('select pg_sleep(1)'), { message: 'Query read timeout' });
  const lost = client.query('select pg_sleep(1)');
  (client as pg.Client & { connection: { stream: Socket } }).connection.stream.destroy();
  const terminated = await t.throwsAsync(lost, { message: /^Connection terminated/ });
  for (const error of [late, terminated]) {
    t.true(isDatabaseUnavailable(error), error.message);
    t.like(outcomeOf(error, { triedForMs: 0, isLastAttempt: true }), { kind: 'snooze' }, error.message);
  }
});

test('a connection that is refused may have been to another server', async (t) => {
  const client = new pg.Client({ host: '127.0.0.1', port: await freePort(), user: 'a', password: 'b' });
  const failure = await t.throwsAsync(client.connect());
  t.deepEqual([isDatabaseUnavailable(failure), isDatabaseAway(failure)], [false, true]);
});

test('a process without a file descriptor for a connection asks callers to come back, and says what to raise', (t) => {
  for (const code of ['EMFILE', 'ENFILE']) {
    const failure = Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code, syscall: 'connect' });
    t.like(replyToError(failure, 'req_1'), { status: 503, headers: { 'retry-after': '2' } }, code);
    t.regex(describeFailure(failure).message, /^The process can open no further file .*\(ulimit -n\).*$/, code);
  }
});

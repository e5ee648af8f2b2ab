import anyTest, { type TestFn } from 'ava';

import { migrate } from '#src/database/migrate.ts';
import { read } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { callCli } from '#test/support/cli.ts';
import { createEmptyDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { sessionOf } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { runEntry } from '#test/support/run-entry.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { startPgBouncer } from '#test/support/start-pgbouncer.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

/* A database behind PgBouncer in session mode, from the migrations to a label. */
const database = await createEmptyDatabase();
const pooler = await startPgBouncer(database.url);
await migrate(pooler.url);

const test = anyTest as TestFn<StripeContext>;
await useStripe(test, { DATABASE_URL: pooler.url }, { mailer: fakeMailer(), shipping: fakeShippingGateway() });
test.after.always(async () => {
  await pooler.stop();
  await database.drop();
});

test.serial('behind PgBouncer every session has the limits and settings of this service', async (t) => {
  const { ctx } = t.context;
  const settings = sql`
    select current_setting('jit') as jit, current_setting('statement_timeout') as statement,
           current_setting('idle_in_transaction_session_timeout') as idle`;
  t.deepEqual(await read(ctx, settings), [{ jit: 'off', statement: '15s', idle: '30s' }]);
});

test.serial('behind PgBouncer an order gets its label', async (t) => {
  const { ctx, services, stripe, api } = t.context;
  await buildShippingAccount(ctx);
  const product = await buildProduct(ctx);
  const key = await buildKey(ctx, ['checkout:write']);
  const { status, body } = await api.call('POST', '/api/v1/checkout/sessions', {
    key,
    body: { items: [{ product_slug: product.slug, quantity: 1 }], customer_email: shopper.email },
  });
  t.is(status, 200, JSON.stringify(body));
  const { sessionId } = await sessionOf(ctx, body.order_id);
  await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'paid' });
  await stripe.idle();
  await runJobs(services);
  const labels = sql`select state from labels where tenant_id = ${ctx.tenant.id} and order_id = ${body.order_id}`;
  t.deepEqual(await read(ctx, labels), [{ state: 'purchased' }]);
});

test.serial('behind PgBouncer in transaction mode nothing migrates or starts, and doctor says why', async (t) => {
  const shared = await startPgBouncer(database.url, 'transaction');
  t.teardown(shared.stop);
  const environment = testEnvironment({ DATABASE_URL: shared.url });
  const failure = /^A pooler lets several connections of DATABASE_URL share a session, [^\n]* session mode, [^\n]*\n$/;
  for (const [entry, words] of [
    ['src/cli/main.ts', ['migrate']],
    ['src/cli/main.ts', ['tenants', 'list']],
    ['src/server.ts', []],
    ['workers/relay.ts', []],
  ] as const) {
    const { code, err } = await runEntry(entry, words, environment);
    t.is(code, 1, entry);
    t.regex(err, failure, entry);
  }
  const { code, out } = await callCli(['doctor', '--json'], environment);
  t.is(code, 1);
  t.regex(JSON.parse(out).findings[0].message, /share a session/);
  await t.notThrowsAsync(migrate(database.url), 'no lock was left behind');
});

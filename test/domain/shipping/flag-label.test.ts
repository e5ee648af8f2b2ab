import anyTest, { type TestFn } from 'ava';
import { days } from '#src/lib/duration.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { busy, fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { labelOf, orderOf, request } from './support.ts';

/* A label without attempts left is flagged on its row, because the labels page reads rows. */

const test = anyTest as TestFn<TestContext>;
const provider = fakeShippingByStore();
useContext(test, { ports: { shipping: provider.gateway } });

/** The last run that the queue allows. */
const lastRun = { failedRuns: 4, rounds: 1 };

test.serial('an unexpected error flags the label on the last attempt, and not before', async (t) => {
  const { services, ctx } = t.context;
  await buildShippingAccount(ctx);
  for (const [failedRuns, state] of [
    [3, 'quoting'],
    [4, 'needs_attention'],
  ] as const) {
    const { order } = await request(ctx);
    provider.of(ctx.tenant.id).throws.quote = [new TypeError('a mistake')];
    await runJobs(services, { failedRuns, rounds: 1 });
    t.is((await labelOf(ctx, order.id)).state, state);
  }
});

test.serial('a label whose job is two days old is no longer postponed but flagged with the reason', async (t) => {
  const { services, clock, ctx } = t.context;
  await buildShippingAccount(ctx);
  const { throws } = provider.of(ctx.tenant.id);
  for (const [waitedMs, state] of [
    [0, 'queued'],
    [days(2) + 1000, 'needs_attention'],
  ] as const) {
    const { order } = await request(ctx);
    clock.pass(waitedMs);
    throws.quote = [busy(60)];
    await runJobs(services, lastRun);
    t.like(await labelOf(ctx, order.id), { state, reason: state === 'queued' ? null : 'provider_rate_limited' });
    t.is((await orderOf(ctx, order.id)).attention, state === 'queued' ? null : 'provider_rate_limited');
  }
});

test.serial('a label that a crashed attempt held when its job was old is flagged', async (t) => {
  const { services, clock, ctx } = t.context;
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  clock.pass(days(3));
  const heldUntil = new Date(clock.now().getTime() + 60_000);
  const client = await ctx.database.pool.connect();
  await client.query(`begin; set local app.platform = 'on'`);
  await client.query(`update labels set state = 'quoting', lease_token = 'dead', lease_expires_at = $1 where id = $2`, [
    heldUntil,
    labelId,
  ]);
  await client.query('commit');
  client.release();
  t.true((await runJobs(services, lastRun)).includes('labels.purchase-label: retry (another attempt holds the label)'));
  t.like(await labelOf(ctx, order.id), { state: 'needs_attention', reason: 'crashes' });
});

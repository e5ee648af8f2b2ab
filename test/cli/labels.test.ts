import anyTest, { type TestFn } from 'ava';

import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import { labelOf, request, run } from '#test/domain/shipping/support.ts';
import { callCli } from '#test/support/cli.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';

const simulator = await startShippoSimulator();
const { DATABASE_URL: _another, ...environment } = testEnvironment({ SHIPPO_API_BASE: simulator.url });
const test = anyTest as TestFn<TestContext>;
useContext(test, { environment });
test.after.always(() => simulator.close());

test('labels:recover records what Shippo sold for an order, and says what to do about what it sold for no order', async (t) => {
  const { ctx, services, tenant } = t.context;
  const { api_key: apiKey } = await buildShippingAccount(ctx);
  const [{ order }, { order: bought }] = [await request(ctx), await request(ctx)];
  t.is(await run(ctx, bought.id), 'done');
  const recover = (...words: string[]) =>
    callCli(['labels:recover', tenant.slug, '1h', ...words], {
      ...environment,
      DATABASE_URL: services.config.databaseUrl,
    });
  t.like(await recover(), { code: 0, out: '0 labels recorded.\n' });

  const sold = await shippoControl(simulator.url).transactions(apiKey ?? '');
  const account = { tenantId: tenant.id, apiKey: apiKey ?? '' };
  const { id: labelId } = await labelOf(ctx, order.id);
  const rateId = sold[0]?.rate ?? '';
  const { id } = await ctx.ports.shipping.buyLabel(account, {
    rateId,
    marker: `${labelId}:1 ${tenant.id} ${order.orderNumber}`,
  });
  const marker = `lbl_01m8k14ya6ekq8kzsz9jd8xzgb:1 ${tenant.id} ORD-77`;
  const { id: other } = await ctx.ports.shipping.buyLabel(account, { rateId, marker });

  const advice = 'there is no such paid order: send its goods with it, or void it in the Shippo dashboard.';
  const left = `ORD-77: label ${other}: ${advice}\n`;
  const dry = await recover('--dry-run');
  t.is(dry.code, 1);
  t.regex(dry.out, new RegExp(`^${order.orderNumber} +[0-9]+ +${id}\n`));
  t.true(dry.out.endsWith(`${left}1 label would be recorded.\n`), dry.out);
  t.is((await labelOf(ctx, order.id)).state, 'queued');

  const { labels } = JSON.parse((await recover('--json')).out);
  t.deepEqual(
    labels.map((label: { id: string; result: string }) => [label.id, label.result]),
    [
      [other, 'unknown_order'],
      [id, 'recorded'],
    ],
  );
  t.like(await labelOf(ctx, order.id), { state: 'purchased', purchaseId: id });
  t.is((await recover()).out, `${left}0 labels recorded.\n`);
});

test('labels:recover rejects a time that is yet to come, as of a mistyped year', async (t) => {
  const { services, tenant } = t.context;
  const { code, err } = await callCli(['labels:recover', tenant.slug, '2999-12-31'], {
    ...environment,
    DATABASE_URL: services.config.databaseUrl,
  });
  t.is(code, 2, err);
  t.regex(err, /^<since> is yet to come\./);
});

import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { recordDrift } from '#src/domain/payments/drift/drift-reports.ts';
import { days, hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { request } from '#test/domain/shipping/support.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test.serial('the overview says that nothing needs attention, and names every queue', async (t) => {
  const { status, body, headers } = await t.context.api.call('GET', '/ops');
  t.is(status, 200);
  t.regex(headers.get('content-type') ?? '', /text\/html/);
  t.true(body.includes('Nothing needs attention.'));
  for (const queue of ['payments', 'labels', 'webhooks', 'emails', 'reminders', 'analytics', 'chores']) {
    t.true(body.includes(`<a href="/ops/queues/queue/${queue}">${queue}</a>`), queue);
  }
  t.notRegex(body, /<script|undefined|NaN|\[object/);
  t.regex((await t.context.api.call('GET', '/ops/drift')).body, /None\. Orders and payments agree\./);
});

test.serial('the overview lists what needs attention with the next step and a link', async (t) => {
  const { api, ctx } = t.context;
  await buildPaymentAccount(ctx);
  const order = await buildPaidOrder(ctx, { attentionCodes: ['amount_mismatch'] });
  const { labelId } = await request(ctx);
  await transact(ctx, async ({ tx, tenant, clock }) => {
    await tx.execute(
      sql`update labels set state = 'needs_attention', reason_code = 'no_rates' where tenant_id = ${tenant.id}
        and id = ${labelId}`,
    );
    await tx.execute(sql`update payment_accounts set silent_since = ${clock.now()} where tenant_id = ${tenant.id}`);
    await tx.execute(
      sql`update orders set attentions = '[{"code": "amount_mismatch", "detail": "Paid: <b>$5</b> of $50."}]'
        where tenant_id = ${tenant.id} and id = ${order.id}`,
    );
  });
  const { body } = await api.call('GET', '/ops');
  t.regex(body, /webhooks do not arrive\. <code>inbound_webhook_silent<\/code>[\s\S]+href="\/ops\/drift"/);
  t.regex(body, /Compare the payment with the order[\s\S]+href="\/ops\/drift#orders"/);
  t.regex(body, /No carrier offers a rate for this parcel[\s\S]+href="\/ops\/labels#no_rates"/);

  const drift = (await api.call('GET', '/ops/drift')).body;
  t.true(drift.includes(order.orderNumber));
  t.true(drift.includes('Paid: &lt;b&gt;$5&lt;/b&gt; of $50.'));
  t.true(drift.includes(`npm run cli -- webhooks:register ${ctx.tenant.slug}`));
});

test.serial('the payments page shows the differences of 30 days and their state', async (t) => {
  const { api, ctx, clock } = t.context;
  await buildPaymentAccount(ctx);
  const [here, there] = [await buildPaidOrder(ctx), await buildPaidOrder(ctx, { attentionCodes: ['payment_missing'] })];
  const range = { from: new Date(clock.now().getTime() - hours(49)), to: new Date(clock.now().getTime() - hours(1)) };
  for (let day = 0; day < 2; day += 1) {
    await recordDrift(ctx, range, {
      unpaidHere: day === 0 ? [here.id] : [],
      unpaidThere: [there.id],
      unmadeRenewals: [],
    });
    clock.pass(days(1));
  }
  const { body } = await api.call('GET', '/ops/drift');
  t.is(
    body.match(
      new RegExp(
        `<td class="slug">${there.orderNumber}</td>\\s*<td[^<]*</td>\\s*<td[^<]*provider has no such payment`,
        'g',
      ),
    )?.length,
    1,
    'once, however often it was found',
  );
  t.regex(body, /Paid at the provider but not here\. The comparison marked the order as paid\.[\s\S]+Fixed/);
  t.regex(body, /href="#orders">Needs attention/);

  clock.pass(days(30));
  t.notRegex((await api.call('GET', '/ops/drift')).body, /Paid at the provider but not here/);
});

import anyTest, { type TestFn } from 'ava';

import { readOne, transact } from '#src/database/transact.ts';
import { lockOrder } from '#src/domain/orders/index.ts';
import { sql } from '#src/lib/sql.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { orderOf } from '#test/support/factories/payments.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

const page = '/ops/drift';

async function dismiss({ api, ctx }: ApiContext, orderId: string, code: string, headers: Record<string, string> = {}) {
  return api.call('POST', `${page}/${ctx.tenant.slug}/orders/${orderId}/dismiss`, {
    body: new URLSearchParams({ code }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

test.serial('/ops/drift lists each attention of an order and dismisses one at a time', async (t) => {
  const { api, ctx } = t.context;
  const order = await buildPaidOrder(ctx, { attentionCodes: ['paid_twice'] });
  await transact(ctx, async (ctx) =>
    (await lockOrder(ctx, order.id))?.flag({ code: 'disputed', detail: 'The bank <asks>.' }),
  );
  const { body } = await api.call('GET', page);
  t.regex(body, /<summary>Dismiss<\/summary>[\s\S]+Confirm: it is solved/);
  t.true(body.includes('The bank &lt;asks&gt;.'));
  t.is([...body.matchAll(new RegExp(order.orderNumber, 'g'))].length, 2);
  t.notRegex(body, /<script|undefined|\[object/);

  const response = await dismiss(t.context, order.id, 'paid_twice');
  t.is(response.status, 303);
  t.regex(
    (await api.call('GET', response.headers.get('location') ?? '')).body,
    /The problem is dismissed\.[\s\S]+Respond to the dispute/,
  );
  t.is((await orderOf(ctx, order.id)).attentionCode, 'disputed');

  t.is((await dismiss(t.context, order.id, 'paid_twice')).status, 409, 'what is the matter now is something else');
  t.is((await dismiss(t.context, order.id, 'disputed')).status, 303);
  t.is((await dismiss(t.context, order.id, 'disputed')).status, 303, 'pressing twice is pressing once');
  t.is((await orderOf(ctx, order.id)).attentionCode, null);
  const audited = await readOne<{ count: number }>(
    ctx,
    sql`
    select count(*)::int as count from audit_log
    where tenant_id = ${ctx.tenant.id} and action = 'order.attention_dismissed' and actor_kind = 'operator'`,
  );
  t.is(audited?.count, 2);
});

test.serial("an attention is dismissed only from a page of this origin, in the order's own store", async (t) => {
  const { ctx } = t.context;
  const order = await buildPaidOrder(ctx, { attentionCodes: ['paid_twice'] });
  t.is((await dismiss(t.context, order.id, 'paid_twice', { origin: 'https://elsewhere.example' })).status, 403);
  t.is((await dismiss(t.context, order.id, 'paid_twice', { 'sec-fetch-site': 'cross-site' })).status, 403);
  t.is((await dismiss(t.context, 'ord_01m7xfs208fk1sctzyr3afnpz3', 'paid_twice')).status, 409);
  t.is(
    (await t.context.api.call('POST', `${page}/no-such-store/orders/${order.id}/dismiss`, { body: '' })).status,
    404,
  );
  t.is((await orderOf(ctx, order.id)).attentionCode, 'paid_twice');
});

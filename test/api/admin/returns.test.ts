import anyTest, { type TestFn } from 'ava';

import { newId } from '#src/lib/ids.ts';
import { buildReturn, buildReturnableOrder, returnMailsOf } from '#test/support/factories/returns.ts';
import { auditOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

test('a return is approved, received and refunded, with an email for each step', async (t) => {
  const { ctx, owner } = t.context;
  const order = await buildReturnableOrder(ctx, { paymentId: 'pi_1' });
  const { id } = await buildReturn(ctx, order);
  const step = async (verb: string, body?: object) =>
    (await owner.post(`/returns/${id}/${verb}`, body)).body.return?.status;
  t.is(await step('approve', { note: 'Please use the enclosed label.' }), 'approved');
  t.is(await step('receive'), 'received');
  t.deepEqual(placesOf(await owner.post(`/returns/${id}/refund`, { amount_cents: -1 })), ['/amount_cents']);
  t.is(resultOf(await owner.post(`/returns/${id}/refund`, { amount_cents: 3801 })), '400 invalid_request');
  t.is(await step('refund', { amount_cents: 3000 }), 'refunded');

  t.deepEqual(
    (await returnMailsOf(ctx, id)).map(({ status }) => status),
    ['requested', 'approved', 'received', 'refunded'],
  );
  const { body } = await owner.get(`/orders/${order.id}`);
  t.like(body.order.refunds, [{ amount_cents: 3000, return_id: id, state: 'requested' }]);
  const types = body.order.timeline.map(({ type }: any) => type);
  for (const type of ['return.approved', 'return.received', 'return.refunded', 'order.refund_requested'])
    t.true(types.includes(type), type);
  t.like((await auditOf(ctx))[0], {
    action: 'return.approved',
    before: { status: 'requested' },
    after: { status: 'approved' },
  });
});

test("a decision that a return's status does not allow is rejected, and an unknown return is not found", async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildReturn(ctx);
  t.is(resultOf(await owner.post(`/returns/${id}/refund`)), '409 return_not_allowed');
  for (const verb of ['receive', 'close'])
    t.is(resultOf(await owner.post(`/returns/${id}/${verb}`)), '409 return_not_allowed');
  t.is((await owner.post(`/returns/${id}/reject`)).body.return.status, 'rejected');
  const approved = await owner.post(`/returns/${id}/approve`);
  t.is(resultOf(approved), '409 return_not_allowed');
  t.is(approved.body.reason, 'wrong_status');
  for (const verb of ['approve', 'reject', 'receive', 'refund', 'close'])
    t.is(resultOf(await owner.post(`/returns/${newId('ret')}/${verb}`)), '404 not_found');
  t.deepEqual(placesOf(await owner.post(`/returns/${id}/approve`, { note: 7 })), ['/note']);
});

test('a return whose goods never arrive is closed, and its items can be returned again', async (t) => {
  const { ctx, owner } = t.context;
  const order = await buildReturnableOrder(ctx);
  const { id } = await buildReturn(ctx, order);
  await owner.post(`/returns/${id}/approve`);
  t.is((await owner.post(`/returns/${id}/close`, { note: 'We waited for a month.' })).body.return.status, 'closed');
  t.is((await owner.post(`/returns/${id}/close`)).body.return.status, 'closed', 'once more changes nothing');
  t.deepEqual(
    (await returnMailsOf(ctx, id)).map(({ status }) => status),
    ['requested', 'approved', 'closed'],
  );
  t.is((await buildReturn(ctx, order)).status, 'requested');
});

test('refunding a return refunds what was paid for the goods, unless an amount is given', async (t) => {
  const { ctx, owner } = t.context;
  const order = await buildReturnableOrder(ctx, { paymentId: 'pi_3' });
  const { id } = await buildReturn(ctx, order);
  for (const verb of ['approve', 'receive', 'refund']) await owner.post(`/returns/${id}/${verb}`);
  t.like((await owner.get(`/orders/${order.id}`)).body.order.refunds, [
    { amount_cents: 3800, return_id: id, state: 'requested' },
  ]);
});

test('refunding a return of an order that was refunded in full refunds nothing more', async (t) => {
  const { ctx, owner } = t.context;
  const order = await buildReturnableOrder(ctx, { paymentId: 'pi_2' });
  const { id } = await buildReturn(ctx, order);
  for (const verb of ['approve', 'receive']) await owner.post(`/returns/${id}/${verb}`);
  t.is((await owner.post(`/orders/${order.id}/refunds`)).status, 202);
  const refused = await owner.post(`/returns/${id}/refund`, { amount_cents: 100 });
  t.deepEqual([resultOf(refused), refused.body.reason], ['409 refund_not_allowed', 'refunded']);
});

test('GET /admin/returns pages, and filters by status', async (t) => {
  const { ctx, owner } = t.context;
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift((await buildReturn(ctx)).id);
  await owner.post(`/returns/${ids[1]}/approve`);
  t.deepEqual(
    (await pagesOf(owner, '/returns', 'returns')).flat().map(({ id }) => id),
    ids,
  );
  t.deepEqual(
    (await owner.get('/returns?status=approved')).body.returns.map(({ id }: any) => id),
    [ids[1]],
  );
  t.deepEqual((await owner.get('/returns?email=nobody@example.com')).body.returns, []);
});

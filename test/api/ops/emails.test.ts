import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import type { MailRequest } from '#src/domain/mail/enqueue-mail.ts';
import { failMail } from '#src/domain/mail/index.ts';
import type { MailKind } from '#src/domain/mail/kinds.ts';
import { closeStore, markRemoved } from '#src/domain/tenants/index.ts';
import { minutes } from '#src/lib/duration.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { buildMail, newAddress, orderMail, readMail } from '#test/support/factories/mail.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildReturn, buildReturnableOrder } from '#test/support/factories/returns.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { deedsOf, type OwnerContext, useOwner } from '#test/support/use-owner.ts';

const test = (anyTest as TestFn<OwnerContext>).serial;
const accepting = fakeMailer();
const mailer = { ...accepting };
useOwner(anyTest as TestFn<OwnerContext>, { ports: { mailer } });

/** A receipt of an order that was given up. */
async function buildUnsent(ctx: Context, orderId: string): Promise<string> {
  const mailId = await buildMail(ctx, { kind: 'receipt', to: newAddress(), data: orderMail(), subjectId: orderId });
  await failMail(ctx, { mailId });
  return mailId;
}

/** Emails about one thing that were given up, the older one first. */
async function buildBoth<Kind extends MailKind>(
  { ctx, clock }: OwnerContext,
  mail: MailRequest<Kind>,
): Promise<[older: string, newer: string]> {
  const older = await buildMail(ctx, mail);
  clock.pass(minutes(1));
  const newer = await buildMail(ctx, mail);
  for (const mailId of [older, newer]) await failMail(ctx, { mailId });
  return [older, newer];
}

/** What a page says of the press of a button. */
const doneOf = ({ headers }: { headers: Headers }) =>
  new URL(headers.get('location') ?? '', 'http://127.0.0.1').searchParams.get('done');

test('an email that was given up is found by the owner and by operators, who have it sent after all', async (t) => {
  const { api, ctx, owner, services, tenant } = t.context;
  t.regex((await api.call('GET', '/ops/emails')).body, /No email to a shopper was given up\./);
  const order = await buildPaidOrder(ctx);
  const fine = await buildPaidOrder(ctx);
  const mailId = await buildUnsent(ctx, order.id);
  const idsOf = async (query: string) => (await owner.get(`/orders?${query}`)).body.orders.map(({ id }: any) => id);

  t.deepEqual(await idsOf('email_unsent=true'), [order.id]);
  t.deepEqual(await idsOf('email_unsent=false'), [fine.id]);
  const { attention } = (await owner.get('/overview')).body.overview;
  t.like(attention, only({ kind: 'email', code: 'receipt', count: 1, areas: only('orders') }));
  t.regex(attention[0].next, /resend the receipt/);
  t.regex((await api.call('GET', '/ops')).body, /given up after its last attempt[\s\S]+href="\/ops\/emails"/);
  t.true((await api.call('GET', '/ops/emails')).body.includes(`/ops/emails/${tenant.slug}/${mailId}/retry`));

  const retry = async (id: string) => doneOf(await api.call('POST', `/ops/emails/${tenant.slug}/${id}/retry`));
  t.is(await retry(mailId), 'The email will be sent.');
  for (const id of [mailId, 'mail_unknown'])
    t.is(await retry(id), 'This email was not given up, is retried already, or a later one replaced it.');
  t.like(await readMail(ctx, mailId), { state: 'queued' });
  await runJobs(services);
  t.like(await readMail(ctx, mailId), { state: 'sent' });
  t.deepEqual(await idsOf('email_unsent=true'), []);
  t.deepEqual((await owner.get('/overview')).body.overview.attention, []);
  t.deepEqual(
    (await deedsOf(ctx)).filter((deed) => deed.startsWith('mail.')),
    ['mail.retried'],
  );
});

test('one request retries the emails of a kind, also those that were retried in vain', async (t) => {
  const { api, ctx, services } = t.context;
  // The rows of a store that was removed are still being deleted.
  const removed = { ...ctx, tenant: await buildTenant(services) };
  await buildUnsent(removed, (await buildPaidOrder(removed)).id);
  await transact(removed, async (ctx) => (await closeStore(ctx)) && (await markRemoved(ctx, 'ada@desk')));
  const orders = [await buildPaidOrder(ctx), await buildPaidOrder(ctx)];
  const ids = await Promise.all(orders.map(({ id }) => buildUnsent(ctx, id)));
  for (const time of ['first', 'second']) {
    const response = await api.call('POST', '/ops/emails/retry', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'kind=receipt',
    });
    t.is(response.status, 303);
    t.is(doneOf(response), '2 emails will be sent.');
    if (time === 'first') for (const mailId of ids) await failMail(ctx, { mailId });
  }
  await runJobs(services);
  for (const id of ids) t.like(await readMail(ctx, id), { state: 'sent' });
});

test('emails that fail again and again hide no others, of their kind or of another', async (t) => {
  const { api, ctx, tenant } = t.context;
  const execute = (statement: Sql) => transact(ctx, ({ tx }) => tx.execute(statement));
  const idOf = (kind: string, number: number) => `mail_${kind}_${String(number).padStart(4, '0')}`;
  for (const [kind, count] of [
    ['receipt', 501],
    ['shipped', 1],
  ] as const)
    await execute(sql`
      insert into mails (tenant_id, id, kind, recipient, data, subject_id, message_id, state, created_at, updated_at)
      select ${tenant.id}, 'mail_' || ${kind}::text || '_' || lpad(i::text, 4, '0'), ${kind}, 'ada@example.com', '{}',
        'ord_' || i, i, 'failed', ${ctx.clock.now()}, ${ctx.clock.now()} from generate_series(1, ${count}::int) as i`);
  const page = async () => (await api.call('GET', '/ops/emails')).body as string;
  t.true((await page()).includes(idOf('shipped', 1)));

  for (const first of [1, 201, 401]) {
    t.true((await page()).includes(idOf('receipt', first)), `after ${first - 1} failed again`);
    const { status } = await api.call('POST', '/ops/emails/retry', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'kind=receipt',
    });
    t.is(status, 303);
    t.like(await readMail(ctx, idOf('receipt', first)), { state: 'queued' });
    t.context.clock.pass(minutes(1));
    await execute(sql`
      update mails set state = 'failed', updated_at = ${ctx.clock.now()}
      where tenant_id = ${tenant.id} and state = 'queued'`);
  }
  await execute(sql`delete from mails where tenant_id = ${tenant.id}`);
});

test('an email that a later one of its kind replaced is not listed, and one about a return is in its order', async (t) => {
  const { ctx, clock, owner } = t.context;
  const order = await buildPaidOrder(ctx);
  await buildUnsent(ctx, order.id);
  clock.pass(minutes(1));
  await owner.post(`/orders/${order.id}/receipt`);
  const returned = await buildReturnableOrder(ctx);
  const made = await buildReturn(ctx, returned);
  const mailId = await buildMail(ctx, {
    kind: 'return_update',
    to: newAddress(),
    subjectId: made.id,
    data: { return_number: 'RMA-1001', order_number: returned.order_number, status: 'approved', items: [] },
  });
  await failMail(ctx, { mailId });
  const { attention } = (await owner.get('/overview')).body.overview;
  t.deepEqual(
    attention.map(({ code, next }: any) => [code, /resend the receipt/.test(next), /operator/.test(next)]),
    [['return_update', false, true]],
    'a receipt does not replace it',
  );
  const { orders } = (await owner.get('/orders?email_unsent=true')).body;
  t.deepEqual(
    orders.map(({ id }: any) => id),
    [returned.id],
  );
  const { timeline } = (await owner.get(`/orders/${returned.id}`)).body.order;
  t.like(
    timeline.find(({ type }: any) => type === 'mail.failed'),
    { detail: 'return_update' },
  );
});

test('of several emails of a kind that were given up, the latest is retried alone, and each one about a refund', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { id: subjectId } = await buildPaidOrder(ctx);
  const to = newAddress();
  const [receipt, resent] = await buildBoth(t.context, { kind: 'receipt', to, data: orderMail(), subjectId });
  const refund = { amount_cents: 500, gift_card_cents: 0 };
  const refunds = await buildBoth(t.context, { kind: 'refunded', to, data: { ...orderMail(), refund }, subjectId });
  const page = (await api.call('GET', '/ops/emails')).body as string;
  t.deepEqual(
    [receipt, resent, ...refunds].map((id) => page.includes(`/${id}/retry`)),
    [false, true, true, true],
  );
  // From a page that was opened before the later one was sent.
  const { headers } = await api.call('POST', `/ops/emails/${tenant.slug}/${receipt}/retry`);
  t.is(doneOf({ headers }), 'This email was not given up, is retried already, or a later one replaced it.');
  t.like(await readMail(ctx, receipt), { state: 'failed' });
  for (const id of [resent, ...refunds.toReversed()]) {
    await api.call('POST', `/ops/emails/${tenant.slug}/${id}/retry`);
    t.like(await readMail(ctx, id), { state: 'queued' });
  }
});

test('a Retry on the board sends the latest email of a kind, and none that a later one replaced', async (t) => {
  const { api, ctx, services } = t.context;
  const { id: subjectId } = await buildPaidOrder(ctx);
  await runJobs(services);
  mailer.send = () => Promise.reject(new Error('a defect'));
  t.teardown(() => Object.assign(mailer, accepting));
  const ids: string[] = [];
  for (let number = 1; number <= 2; number += 1) {
    ids.push(await buildMail(ctx, { kind: 'receipt', to: newAddress(), data: orderMail(), subjectId }));
    await runJobs(services, { failedAttempts: 7 });
    t.context.clock.pass(minutes(1));
  }
  const failedJobs = () =>
    services.execute<{ id: string; key: string }>(sql`
      select id, key from outbox where failed_at is not null order by key`);
  t.deepEqual(
    (await failedJobs()).map(({ key }) => key),
    ids.map((id) => `${id}:1`),
  );
  mailer.send = accepting.send;
  for (const { id } of await failedJobs()) {
    const { status } = await api.call('PUT', `/ops/queues/api/queues/emails/${id}/retry`);
    t.is(status, 204);
  }
  await runJobs(services);
  const states = await Promise.all(ids.map(async (id) => (await readMail(ctx, id))?.state));
  t.deepEqual(states, ['failed', 'sent']);
  t.deepEqual(await failedJobs(), []);
});

test('the failed job of an email that is retried leaves the board', async (t) => {
  const { api, ctx, services, tenant } = t.context;
  const { id: subjectId } = await buildPaidOrder(ctx);
  await runJobs(services);
  const mailId = await buildMail(ctx, { kind: 'receipt', to: newAddress(), data: orderMail(), subjectId });
  mailer.send = () => Promise.reject(new Error('a defect'));
  t.teardown(() => Object.assign(mailer, accepting));
  await runJobs(services, { failedAttempts: 7 });
  const failedJobs = () => services.execute(sql`select key from outbox where failed_at is not null`);
  t.deepEqual(await failedJobs(), [{ key: `${mailId}:1` }]);
  t.is((await api.call('POST', `/ops/emails/${tenant.slug}/${mailId}/retry`)).status, 303);
  t.deepEqual(await failedJobs(), []);

  // As often as it fails, there is one.
  await runJobs(services, { failedAttempts: 7 });
  t.deepEqual(await failedJobs(), [{ key: `${mailId}:3` }]);
  t.is((await api.call('POST', `/ops/emails/${tenant.slug}/${mailId}/retry`)).status, 303);
  mailer.send = accepting.send;
  await runJobs(services);
  t.like(await readMail(ctx, mailId), { state: 'sent' });
  t.deepEqual(await failedJobs(), []);
});

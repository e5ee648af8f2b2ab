import anyTest, { type TestFn } from 'ava';
import { TOTP } from 'otpauth';

import { read } from '#src/database/transact.ts';
import { listAudit } from '#src/domain/audit/index.ts';
import { approveReturn, receiveReturn } from '#src/domain/returns/index.ts';
import type { StaffSession } from '#src/domain/staff/index.ts';
import { days, minutes, seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildReturn, buildReturnableOrder } from '#test/support/factories/returns.ts';
import { buildStaffSession, buildVerificationCode, verify } from '#test/support/factories/staff.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';
import { auditOf, resultOf } from '#test/support/use-owner.ts';

const test = (anyTest as TestFn<ApiContext>).serial;
const mailer = fakeMailer();
const payments = fakePaymentGateway();
useApi(anyTest as TestFn<ApiContext>, { ports: { mailer, payments } });

type SignedIn = StaffSession & { headers: { cookie: string } };
const badCode = '400 invalid_or_expired_token';
const needed = '403 second_factor_required';

/** Calls the routes below `/api/v1/admin` as a page does in which this member is signed in. */
function pageOf({ api }: ApiContext, { headers }: SignedIn) {
  const call = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
    api.call(method, `/api/v1/admin${path}`, {
      headers: { ...headers, origin: api.url },
      ...(body !== undefined && { body }),
    });
  return {
    get: (path: string) => call('GET', path),
    put: (path: string, body: unknown) => call('PUT', path, body),
    post: (path: string, body?: unknown) => call('POST', path, body),
    patch: (path: string, body: unknown) => call('PATCH', path, body),
    delete: (path: string) => call('DELETE', path),
    verify: (code: string) => call('POST', '/session/verification', { code }),
  };
}

/** A member with an app, and the codes that it shows. */
async function buildTotp(context: ApiContext) {
  const member = await buildStaffSession(context.ctx);
  await verify(context.ctx, member);
  const page = pageOf(context, member);
  const { secret } = (await page.post('/second-factor/totp')).body;
  const app = new TOTP({ secret });
  const codeAt = (offset: number) => app.generate({ timestamp: context.clock.now().getTime() + offset * seconds(30) });
  return { member, page, codeAt, confirm: () => page.post('/second-factor/totp/confirm', { code: codeAt(0) }) };
}

test('an emailed code verifies the session that requested it for ten minutes, once', async (t) => {
  const { ctx, clock, services } = t.context;
  const member = await buildStaffSession(ctx);
  const page = pageOf(t.context, member);
  const newKey = { name: 'erp', kind: 'secret', scopes: ['orders:read'] };
  t.is(resultOf(await page.post('/keys', newKey)), needed);
  t.like(await page.post('/session/verification/email'), { status: 202, body: { ok: true } });
  await runJobs(services);
  const code = /\b\d{6}\b/.exec(mailer.to(member.staff.email).at(-1)?.text ?? '')?.[0] ?? '';

  const elsewhere = pageOf(t.context, await buildStaffSession(ctx, { email: member.staff.email }));
  t.is(resultOf(await elsewhere.verify(code)), badCode);
  const verified = await page.verify(code);
  t.is(verified.status, 200);
  const lastsMs = Date.parse(verified.body.session.verified_until) - clock.now().getTime();
  t.true(lastsMs > minutes(9) && lastsMs <= minutes(10));
  t.deepEqual((await page.get('/session')).body.session, verified.body.session);
  t.is(resultOf(await page.verify(code)), badCode);
  t.is((await page.post('/keys', newKey)).status, 201);
  t.is(resultOf(await elsewhere.post('/keys', { ...newKey, name: 'other' })), needed);
  clock.pass(minutes(10));
  t.is(resultOf(await page.post('/keys', { ...newKey, name: 'later' })), needed);
  t.is((await page.get('/session')).body.session.verified_until, null);
  t.true((await auditOf(ctx)).some(({ action, actor }) => action === 'key.created' && actor.id === member.staff.id));
});

test('what is as good as money needs a verified session: new gift cards and imports of them', async (t) => {
  const { api, ctx } = t.context;
  const member = await buildStaffSession(ctx, { role: 'manager' });
  const page = pageOf(t.context, member);
  const issue = () => page.post('/gift-cards', { balance_cents: 5000 });
  const importFile = (kind: string, body: string) =>
    api.call('POST', `/api/v1/admin/imports?kind=${kind}&format=csv`, {
      headers: { ...member.headers, origin: api.url, 'content-type': 'text/csv' },
      body,
    });
  const cards = 'code,balance_cents\nABCD-EFGH-JKLM-NPQR,5000\n';
  t.is(resultOf(await issue()), needed);
  t.is(resultOf(await importFile('gift_cards', cards)), needed);
  t.is(resultOf(await importFile('stock', 'sku,change\nCUP,1\n')), '202');
  await verify(ctx, member);
  t.is(resultOf(await issue()), '201');
  t.is(resultOf(await importFile('gift_cards', cards)), '202');
});

test('where events are sent, with who bought what, needs a verified session to change', async (t) => {
  const { ctx } = t.context;
  const member = await buildStaffSession(ctx, { role: 'manager' });
  const page = pageOf(t.context, member);
  const endpoint = { url: 'https://hooks.example.com/store', events: ['order.*'] };
  t.is(resultOf(await page.post('/webhook-endpoints', endpoint)), needed);
  await verify(ctx, member);
  const { body } = await page.post('/webhook-endpoints', endpoint);
  const path = `/webhook-endpoints/${body.webhook_endpoint.id}`;
  t.is(resultOf(await page.patch(path, { url: 'https://hooks.example.com/other' })), '200');
  t.context.clock.pass(minutes(10));
  t.is(resultOf(await page.patch(path, endpoint)), needed);
});

test('after five wrong codes no code is accepted for fifteen minutes, however many come at once', async (t) => {
  const { ctx, clock } = t.context;
  const member = await buildStaffSession(ctx);
  const page = pageOf(t.context, member);
  const right = await buildVerificationCode(ctx, member);
  const wrong = right === '000000' ? '000001' : '000000';
  for (const noCode of ['1', 'abcdef', '1234567', 'abcde-fghij-k'])
    t.is(resultOf(await page.verify(noCode)), '400 invalid_request', 'it is not counted');
  const results = (await Promise.all(Array.from({ length: 12 }, () => page.verify(wrong)))).map(resultOf);
  t.deepEqual(
    [badCode, '429 rate_limited'].map((result) => results.filter((each) => each === result).length),
    [5, 7],
  );
  const late = await page.verify(right);
  t.is(resultOf(late), '429 rate_limited');
  t.true(Number(late.headers.get('retry-after')) > 800);
  const unsent = await page.post('/session/verification/email');
  t.is(resultOf(unsent), '429 rate_limited', 'the code could not be used');
  t.true(Number(unsent.headers.get('retry-after')) > 800);
  clock.pass(minutes(15));
  t.is((await page.verify(await buildVerificationCode(ctx, member))).status, 200);

  for (let count = 0; count < 3; count += 1) t.is((await page.post('/session/verification/email')).status, 202);
  t.is(resultOf(await page.post('/session/verification/email')), '429 rate_limited');
});

test('an app is set up with a verified session, and replaces the emailed code', async (t) => {
  const { clock, ctx } = t.context;
  const unverified = pageOf(t.context, await buildStaffSession(ctx));
  for (const path of ['/second-factor/totp', '/second-factor/totp/confirm'])
    t.is(resultOf(await unverified.post(path, { code: '123456' })), needed);
  t.is(resultOf(await unverified.delete('/second-factor/totp')), needed);

  await clock.standStill(async () => {
    const { member, page, codeAt, confirm } = await buildTotp(t.context);
    t.is(resultOf(await page.post('/second-factor/totp/confirm', { code: codeAt(-2) })), badCode);
    t.is((await page.get('/session')).body.staff.second_factor, 'email');
    const confirmed = await confirm();
    t.is(confirmed.status, 200);
    t.is(new Set(confirmed.body.recovery_codes).size, 10);
    t.is((await page.get('/session')).body.staff.second_factor, 'totp');
    t.is(resultOf(await page.post('/second-factor/totp')), '409 totp_enabled');
    t.is(resultOf(await confirm()), '409 totp_enabled');
    t.is(resultOf(await page.post('/session/verification/email')), '409 totp_enabled');

    t.is(resultOf(await page.verify(codeAt(0))), badCode, 'the code was used to confirm');
    t.is(resultOf(await page.verify(codeAt(2))), badCode);
    t.is((await page.verify(codeAt(1))).status, 200);
    t.is(resultOf(await page.verify(codeAt(1))), badCode);
    t.is(resultOf(await page.verify(codeAt(0))), badCode, 'an earlier step than the last');
    clock.pass(seconds(90));
    const results = await Promise.all(Array.from({ length: 5 }, () => page.verify(codeAt(0))));
    t.deepEqual(
      results.map(({ status }) => status).filter((status) => status === 200),
      [200],
    );

    const removed = await page.delete('/second-factor/totp');
    t.like(removed, { status: 200, body: { staff: { id: member.staff.id, second_factor: 'email' } } });
    const deeds = (await auditOf(ctx)).map(({ action }) => action);
    t.true(deeds.includes('staff.totp_enabled') && deeds.includes('staff.totp_disabled'));
  });
});

test('a recovery code replaces the app once, and nothing stored or logged reveals a code', async (t) => {
  const { ctx } = t.context;
  const { page, confirm, codeAt } = await buildTotp(t.context);
  const [code = '', other = ''] = (await confirm()).body.recovery_codes;
  t.is((await page.verify(code.toUpperCase().replace('-', ' '))).status, 200);
  t.is(resultOf(await page.verify(code)), badCode);
  t.is((await page.verify(other)).status, 200);
  const rows = [
    ...(await read(ctx, sql`select * from staff`)),
    ...(await read(ctx, sql`select encode(code_hash, 'escape') as hash from staff_recovery_codes`)),
    ...(await listAudit(ctx, { limit: 100 })).rows,
  ];
  for (const secret of [code, other, code.replace('-', ''), codeAt(0)]) t.false(JSON.stringify(rows).includes(secret));
});

test("a verified session replaces the owner's one-time password; a key needs it as before", async (t) => {
  const { api, ctx, services } = t.context;
  const member = await buildStaffSession(ctx);
  const page = pageOf(t.context, member);
  const account = {
    provider: 'stripe',
    secret_key: 'sk_test_1',
    publishable_key: 'pk_test_1',
    webhook_secret: 'whsec_1',
  };
  t.is(resultOf(await page.put('/providers/payments', account)), needed);
  await verify(ctx, member);
  t.is((await page.put('/providers/payments', account)).status, 200);
  t.is((await page.put('/providers/payments', { ...account, secret_key: 'sk_test_2' })).status, 200);
  const { body } = await page.post('/keys', { name: 'erp', kind: 'secret', scopes: ['admin:write'] });
  const byKey = (method: string, path: string, sent?: unknown) =>
    api.call(method, `/api/v1/admin${path}`, { key: body.value, ...(sent !== undefined && { body: sent }) });
  const replaced = await byKey('PUT', '/providers/payments', { ...account, secret_key: 'sk_test_3' });
  t.is(resultOf(replaced), '403 confirmation_required');

  const rotation = await page.post('/payments/webhook-secret/rotations');
  t.is(rotation.status, 201);
  await runJobs(services);
  t.deepEqual(mailer.to(ctx.tenant.ownerEmail), []);
  const confirm = `/payments/webhook-secret/rotations/${rotation.body.rotation_id}/confirm`;
  t.is(resultOf(await byKey('POST', confirm, {})), badCode);
  t.is((await page.post(confirm, {})).status, 200);
});

test('refunds above the limit of a day need the second factor, also in parts', async (t) => {
  const { ctx, clock } = t.context;
  const support = await buildStaffSession(ctx, { role: 'support' });
  const page = pageOf(t.context, support);
  const orders = await Promise.all(
    Array.from({ length: 5 }, () =>
      buildPaidOrder(ctx, { paymentId: newId('pay'), items: [{ unitPriceCents: 30_000 }] }),
    ),
  );
  const refund = (index: number, amount_cents: number, by = page) =>
    by.post(`/orders/${orders[index]?.id}/refunds`, { amount_cents });
  t.is(resultOf(await refund(0, 20_001)), needed);
  t.is(resultOf(await page.post(`/orders/${orders[0]?.id}/refunds`, {})), needed);
  const parts = await Promise.all([0, 1, 2, 3].map((index) => refund(index, 8000)));
  t.deepEqual(parts.map(resultOf).toSorted(), ['202', '202', needed, needed]);
  t.is(resultOf(await refund(4, 4001)), needed);
  t.is((await refund(4, 4000)).status, 202);
  t.is(resultOf(await refund(4, 1)), needed);

  await verify(ctx, support);
  t.is((await refund(4, 25_000)).status, 202);
  clock.pass(days(1));
  const again = await buildStaffSession(ctx, { role: 'support', email: support.staff.email });
  t.is((await refund(0, 1000, pageOf(t.context, again))).status, 202);
  t.like(
    (await auditOf(ctx)).findLast(({ action }) => action === 'order.refund_requested'),
    {
      actor: { kind: 'staff', id: support.staff.id },
      after: { amount_cents: 1000 },
    },
  );
});

test('a fulfilment role can neither refund nor change stock, keys or staff', async (t) => {
  const { ctx } = t.context;
  const page = pageOf(t.context, await buildStaffSession(ctx, { role: 'fulfilment' }));
  const { id } = await buildPaidOrder(ctx);
  const results = [
    await page.post(`/orders/${id}/refunds`, {}),
    await page.put('/stock', {}),
    await page.post('/keys', {}),
    await page.get('/staff'),
    await page.get('/customers'),
  ];
  t.deepEqual(results.map(resultOf), Array(5).fill('403 insufficient_scope'));
  t.is((await page.get(`/orders/${id}`)).status, 200);
});

test('a limit of 0 asks for the second factor at each refund, also of a return', async (t) => {
  const { ctx, services } = t.context;
  await services.execute(sql`update tenants set refund_verification_above_cents = 0 where id = ${ctx.tenant.id}`);
  const support = await buildStaffSession(ctx, { role: 'support' });
  const page = pageOf(t.context, support);
  const order = await buildReturnableOrder(ctx, { paymentId: newId('pay') });
  const { id: returnId } = await buildReturn(ctx, order);
  await approveReturn(ctx, { returnId });
  await receiveReturn(ctx, { returnId });
  t.is(resultOf(await page.post(`/orders/${order.id}/refunds`, { amount_cents: 1 })), needed);
  t.is(resultOf(await page.post(`/returns/${returnId}/refund`, {})), needed);
  t.is((await page.get(`/returns?status=received`)).body.returns.length, 1);
  await verify(ctx, support);
  t.is((await page.post(`/returns/${returnId}/refund`, {})).status, 200);
});

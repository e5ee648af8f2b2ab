import anyTest, { type TestFn } from 'ava';

import { listAudit } from '#src/domain/audit/index.ts';
import { changeStaff, revokeStaff, roles } from '#src/domain/staff/index.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildStaff, buildStaffLink, buildStaffSession } from '#test/support/factories/staff.ts';
import { fakeMailer, linkIn } from '#test/support/fakes/mailer.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { auditOf, type OwnerContext, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
const mailer = fakeMailer();
useOwner(test, { ports: { mailer } });

const consume = '/api/v1/admin/sign-in/consume';

test.serial('an invited member accepts within three days, and is invited again', async (t) => {
  const { api, ctx, owner, services, tenant } = t.context;
  const email = newAddress();
  const input = { email: ` ${email.toUpperCase()} `, name: 'Grace', role: 'support' };
  const twoLines = { ...input, name: 'Grace\r\nBcc: eve@example.com' };
  t.is(resultOf(await owner.post('/staff', twoLines)), '400 invalid_request');
  const invited = await owner.post('/staff', input);
  t.like(invited, {
    status: 201,
    body: { staff: { email, name: 'Grace', role: 'support', revoked_at: null, version: 1 } },
  });
  await runJobs(services);
  const tokens = mailer.to(email).map((mail) => /sign-in\/([\w-]+)/.exec(linkIn(mail, '/admin').hash)?.[1]);
  t.is(tokens.length, 1);
  const signedIn = await api.call('POST', consume, { tenant: tenant.slug, body: { token: tokens[0] } });
  t.like(signedIn, { status: 200, body: { staff: { id: invited.body.staff.id }, scopes: [...roles.support] } });

  const again = await owner.post('/staff', { ...input, role: 'manager' });
  t.like(again, { status: 201, body: { staff: { id: invited.body.staff.id, role: 'manager', version: 2 } } });
  await runJobs(services);
  t.is(mailer.to(email).length, 2);
  const lines = (await auditOf(ctx)).filter(({ action }) => action === 'staff.invited');
  t.deepEqual(
    lines.map(({ before, after }) => [before, after]),
    [
      [null, { role: 'support' }],
      [{ role: 'support' }, { role: 'manager' }],
    ],
  );
  t.false(JSON.stringify((await listAudit(ctx, { limit: 100 })).rows).includes(email));
});

test('a revoked member loses sessions and links, and may be invited again', async (t) => {
  const { api, ctx, owner, tenant } = t.context;
  const { staff, headers } = await buildStaffSession(ctx, { role: 'manager' });
  const link = await buildStaffLink(ctx, staff.email);
  t.like(await owner.post(`/staff/${staff.id}/revoke`), { status: 200, body: { staff: { version: 2 } } });
  t.is(resultOf(await api.call('GET', '/api/v1/admin/session', { headers })), '401 invalid_session');
  t.like((await owner.post('/staff', { email: staff.email, name: 'Ada', role: 'analyst' })).body.staff, {
    id: staff.id,
    revoked_at: null,
    role: 'analyst',
  });
  const late = await api.call('POST', consume, { tenant: tenant.slug, body: { token: link } });
  t.is(resultOf(late), '400 invalid_or_expired_token');
  t.is(resultOf(await api.call('GET', '/api/v1/admin/session', { headers })), '401 invalid_session');
  t.is(resultOf(await owner.post(`/staff/${staff.id}/revoke`)), '200');
  t.is(resultOf(await owner.post(`/staff/${staff.id}/revoke`)), '200');
  const { body } = await owner.get('/staff');
  t.deepEqual(
    body.staff.map(({ id }: { id: string }) => id),
    [staff.id],
  );
  t.is(resultOf(await owner.patch(`/staff/${staff.id}`, { name: 'Eve' })), '404 not_found');
});

test('the last owner is neither revoked nor given another role, also by two at once', async (t) => {
  const { ctx, owner } = t.context;
  const first = await buildStaff(ctx);
  t.is(resultOf(await owner.post(`/staff/${first.id}/revoke`)), '409 last_owner');
  t.is(resultOf(await owner.patch(`/staff/${first.id}`, { role: 'manager' })), '409 last_owner');
  t.is(resultOf(await owner.post('/staff', { email: first.email, name: 'Ada', role: 'analyst' })), '409 last_owner');
  const second = await buildStaff(ctx);
  const results = await Promise.all([first, second].map(({ id }) => owner.post(`/staff/${id}/revoke`)));
  t.deepEqual(results.map(resultOf).toSorted(), ['200', '409 last_owner']);
});

test('a caller neither grants nor takes away more than they hold', async (t) => {
  const { api, ctx } = t.context;
  const boss = await buildStaff(ctx);
  const key = await buildKey(ctx, ['admin.staff:write', ...roles.analyst]);
  const call = async (path: string, body?: unknown, method = 'POST') =>
    resultOf(await api.call(method, `/api/v1/admin/staff${path}`, { key, ...(body !== undefined && { body }) }));
  const input = { email: newAddress(), name: 'Eve' };
  t.is(await call('', { ...input, role: 'support' }), '403 insufficient_scope');
  t.is(await call('', { ...input, role: 'owner' }), '403 insufficient_scope');
  t.is(await call(`/${boss.id}/revoke`), '403 insufficient_scope');
  t.is(await call(`/${boss.id}`, { role: 'analyst' }, 'PATCH'), '403 insufficient_scope');
  t.is(await call('', { ...input, role: 'analyst' }), '201');
});

test('a member who was revoked or demoted while their request was on its way changes nothing', async (t) => {
  const { ctx } = t.context;
  await buildStaff(ctx);
  const [revoked, demoted, other] = [await buildStaff(ctx), await buildStaff(ctx), await buildStaff(ctx)];
  const as = (id: string) => ({ ...ctx, actor: { kind: 'staff', id } as const });
  await revokeStaff(ctx, revoked, roles.owner);
  await changeStaff(ctx, { id: demoted.id, role: 'manager' }, roles.owner);
  await t.throwsAsync(revokeStaff(as(revoked.id), other, roles.owner), { code: 'invalid_session' });
  await t.throwsAsync(revokeStaff(as(demoted.id), other, roles.owner), { code: 'insufficient_scope' });
});

test('a change of an older version is rejected, and another store has no such member', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const { id } = await buildStaff(ctx, { role: 'support' });
  const patched = await owner.patch(`/staff/${id}`, { name: 'Grace', role: 'manager', version: 1 });
  t.like(patched, { status: 200, body: { staff: { name: 'Grace', role: 'manager', version: 2 } } });
  t.is(resultOf(await owner.patch(`/staff/${id}`, { name: 'Eve', version: 1 })), '409 version_conflict');
  t.is(resultOf(await otherOwner.patch(`/staff/${id}`, { name: 'Eve' })), '404 not_found');
  t.is(resultOf(await otherOwner.post(`/staff/${id}/revoke`)), '404 not_found');
  t.like((await auditOf(ctx)).at(-1), {
    action: 'staff.updated',
    subject: { kind: 'staff', id },
    before: { role: 'support' },
    after: { role: 'manager', changed: ['name', 'role'] },
  });
  t.is(resultOf(await owner.post(`/staff/${id}/revoke`)), '200');
});

test('the audit log names a member, and shows no email', async (t) => {
  const { api, ctx } = t.context;
  const { staff, headers } = await buildStaffSession(ctx);
  const manager = await buildStaffSession(ctx, { role: 'manager' });
  const read = async (cookie: { cookie: string }) =>
    (await api.call('GET', `/api/v1/admin/audit-log?subject_id=${staff.id}`, { headers: cookie })).body.entries[0]
      .actor;
  for (const cookie of [headers, manager.headers])
    t.deepEqual(await read(cookie), { kind: 'staff', id: staff.id, name: staff.name });
});

test.serial('an analyst reads numbers and products, and nothing that shows who a shopper is', async (t) => {
  const { api, ctx } = t.context;
  const { headers } = await buildStaffSession(ctx, { role: 'analyst' });
  const read = async (path: string) => resultOf(await api.call('GET', `/api/v1/admin/${path}`, { headers }));
  for (const path of ['analytics/funnel', 'analytics/zero-result-searches', 'products', 'promo-codes', 'exports'])
    t.is(await read(path), '200', path);
  for (const path of ['orders', 'customers', 'reviews', 'reminders', 'returns', 'leads', 'overview', 'labels'])
    t.is(await read(path), '403 insufficient_scope', path);
});

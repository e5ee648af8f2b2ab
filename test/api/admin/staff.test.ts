import { randomBytes } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';
import { TOTP } from 'otpauth';

import { clearedStaffCookie, staffCookie } from '#src/api/lib/staff-cookie.ts';
import { read, runOnPlatformTables, transact } from '#src/database/transact.ts';
import { listAudit } from '#src/domain/audit/index.ts';
import { approveReturn, receiveReturn } from '#src/domain/returns/index.ts';
import {
  changeStaff,
  consumeStaffLink,
  disableTotp,
  inviteStaff,
  listStaffSessions,
  revokeStaff,
  roles,
  type StaffSession,
  verifyStaffSession,
} from '#src/domain/staff/index.ts';
import { days, hours, minutes, seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { createKeyring } from '#src/lib/keyring.ts';
import { sql } from '#src/lib/sql.ts';
import { type ApiResponse, serveApi } from '#test/support/api.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildReturn, buildReturnableOrder } from '#test/support/factories/returns.ts';
import {
  buildStaff,
  buildStaffLink,
  buildStaffSession,
  buildVerificationCode,
  verify,
} from '#test/support/factories/staff.ts';
import { fakeMailer, linkIn } from '#test/support/fakes/mailer.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import type { ApiContext } from '#test/support/use-api.ts';
import { auditOf, type OwnerContext, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
const [mailer, payments] = [fakeMailer(), fakePaymentGateway()];
useOwner(test, { ports: { mailer, payments } });

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
  t.like(signedIn, { status: 200, body: { staff: { id: invited.body.staff.id }, scopes: only(...roles.support) } });

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
  const colleague = await buildStaff(ctx, { role: 'support' });
  const ofColleague = await buildStaffLink(ctx, colleague.email);
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
    [staff.id, colleague.id],
  );
  const valid = await api.call('POST', consume, { tenant: tenant.slug, body: { token: ofColleague } });
  t.is(resultOf(valid), '200', 'the link of another member');
  t.is(resultOf(await owner.patch(`/staff/${staff.id}`, { name: 'Eve' })), '404 not_found');
});

test('the last owner is neither revoked nor given another role, also by two at once', async (t) => {
  const { ctx } = t.context;
  const first = await buildStaff(ctx);
  const rejected = { code: 'last_owner' };
  await t.throwsAsync(revokeStaff(ctx, first, roles.owner), rejected);
  await t.throwsAsync(changeStaff(ctx, { id: first.id, role: 'manager' }, roles.owner), rejected);
  const again = { email: first.email, name: 'Ada', role: 'analyst' } as const;
  await t.throwsAsync(inviteStaff(ctx, again, roles.owner), rejected);
  const second = await buildStaff(ctx);
  const results = await Promise.allSettled([first, second].map((owner) => revokeStaff(ctx, owner, roles.owner)));
  t.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('the last owner who has signed in is not replaced by one who has only been invited', async (t) => {
  const { ctx } = t.context;
  const member = await buildStaffSession(ctx, { role: 'owner' });
  await verify(ctx, member);
  const { id, email } = member.staff;
  const page = pageOf(t.context, member);
  const invited = await buildStaff(ctx);
  const revoked = await page.post(`/staff/${id}/revoke`);
  t.is(resultOf(revoked), '409 last_owner');
  t.regex(revoked.body.detail, /signed in/);
  t.is(resultOf(await page.patch(`/staff/${id}`, { role: 'manager' })), '409 last_owner');
  t.is(resultOf(await page.post('/staff', { email, name: 'Ada', role: 'manager' })), '409 last_owner');
  await consumeStaffLink(ctx, { token: await buildStaffLink(ctx, invited.email) });
  t.is(resultOf(await page.post(`/staff/${id}/revoke`)), '200');

  await inviteStaff(ctx, { email, name: 'Ada', role: 'owner' }, roles.owner);
  await t.throwsAsync(
    revokeStaff(ctx, invited, roles.owner),
    { code: 'last_owner' },
    'invited again, not signed in again',
  );
  await revokeStaff(ctx, { id }, roles.owner);
});

test.serial(
  'owners who have signed in are emailed whenever there is another one, however that came about',
  async (t) => {
    const { ctx, services } = t.context;
    const manager = (await buildStaffSession(ctx, { role: 'manager' })).staff;
    const invited = await buildStaff(ctx);
    const owner = (await buildStaffSession(ctx, { role: 'owner' })).staff;
    const revoked = (await buildStaffSession(ctx, { role: 'owner' })).staff;
    const others = [manager, invited, revoked];
    const email = newAddress();
    const notifications = async () => {
      await runJobs(services);
      return mailer.to(owner.email).filter(({ subject }) => subject.startsWith('A new owner of '));
    };

    const added = await inviteStaff(ctx, { email, name: 'Eve', role: 'manager' }, roles.owner);
    await revokeStaff(ctx, revoked, roles.owner);
    t.is((await notifications()).length, 1);
    await changeStaff(ctx, { id: added.id, role: 'owner' }, roles.owner);
    await changeStaff(ctx, { id: added.id, name: 'Eva' }, roles.owner);
    t.is((await notifications()).length, 2);
    await revokeStaff(ctx, added, roles.owner);
    await inviteStaff(ctx, { email, name: 'Eve', role: 'owner' }, roles.owner);
    const emails = await notifications();
    t.is(emails.length, 3);
    t.true(emails.every(({ text }) => text.includes('The page Staff') && !text.includes(email.split('@')[1] ?? '')));
    await changeStaff(ctx, { id: manager.id, role: 'owner' }, roles.owner);
    t.is((await notifications()).length, 4);
    for (const other of others)
      t.false(mailer.to(other.email).some(({ subject }) => subject.startsWith('A new owner')));
  },
);

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
  const { id } = await buildStaff(ctx, { role: 'analyst' });
  for (const role of ['support', 'owner'])
    t.is(await call(`/${id}`, { role }, 'PATCH'), '403 insufficient_scope', `nor makes of an analyst a ${role}`);
  const full = await buildKey(ctx, [...roles.owner]);
  for (const [path, body, method] of [
    ['', { ...input, email: newAddress(), role: 'owner' }, 'POST'],
    [`/${id}`, { role: 'owner' }, 'PATCH'],
    [`/${boss.id}`, { role: 'manager' }, 'PATCH'],
    [`/${boss.id}/revoke`, undefined, 'POST'],
  ] as const) {
    const called = await api.call(method, `/api/v1/admin/staff${path}`, { key: full, ...(body && { body }) });
    t.is(resultOf(called), '403 second_factor_required', `a key neither adds, changes nor revokes an owner: ${path}`);
  }
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
    after: { role: 'manager', changed: only('name', 'role') },
  });
  t.is(resultOf(await owner.post(`/staff/${id}/revoke`)), '200');
});

test('support reads promo codes and gift cards, and changes none', async (t) => {
  const { api, ctx } = t.context;
  const { headers } = await buildStaffSession(ctx, { role: 'support' });
  const call = (method: string, path: string) => api.call(method, `/api/v1/admin${path}`, { headers, body: {} });
  for (const path of ['/promo-codes', '/gift-cards']) {
    t.is(resultOf(await api.call('GET', `/api/v1/admin${path}`, { headers })), '200');
    t.is(resultOf(await call('POST', path)), '403 insufficient_scope');
  }
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

const request = '/api/v1/admin/sign-in/request';
const session = '/api/v1/admin/session';
const invalidSession = '401 invalid_session';
const all = ['admin:write'] as const;

/** The cookie of a response, as a browser sends it back. */
const cookieOf = ({ headers }: { headers: Headers }) => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

const tokenIn = (mail: { text: string } | undefined) =>
  linkIn(mail ?? { text: '' }, '/admin').hash.match(/^#\/sign-in\/([\w-]+)\?store=[\w-]+$/)?.[1];

test.serial('a member signs in by email, reads the session and signs out', async (t) => {
  const { api, ctx, services, tenant } = t.context;
  const member = await buildStaff(ctx, { role: 'support', name: 'Ada' });
  t.like(await api.call('POST', request, { tenant: tenant.slug, body: { email: ` ${member.email.toUpperCase()}` } }), {
    status: 202,
    body: { ok: true },
  });
  await runJobs(services);
  const [mail] = mailer.to(member.email);
  const link = linkIn(mail ?? { text: '' }, '/admin');
  t.is(link.origin, new URL(ctx.settings.publicUrl).origin);
  t.true(link.hash.endsWith(`?store=${tenant.slug}`));

  const signedIn = await api.call('POST', consume, { tenant: tenant.slug, body: { token: tokenIn(mail) } });
  t.is(signedIn.status, 200);
  t.regex(
    signedIn.headers.get('set-cookie') ?? '',
    /^staff_session=\S{69}; Expires=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  t.like(signedIn.body, {
    session: { verified_until: null },
    staff: { id: member.id, email: member.email, name: 'Ada', role: 'support', second_factor: 'email' },
    store: { slug: tenant.slug, name: tenant.name, currency: 'USD' },
  });
  t.true(signedIn.body.scopes.includes('admin.refunds:write'));
  t.false(JSON.stringify(signedIn.body).includes(cookieOf(signedIn).slice(-43)));

  const headers = { cookie: cookieOf(signedIn), origin: api.url };
  t.deepEqual((await api.call('GET', session, { headers })).body, signedIn.body);
  t.is((await api.call('GET', '/api/v1/admin/orders', { headers })).status, 200);
  const again = await api.call('POST', consume, { tenant: tenant.slug, body: { token: tokenIn(mail) } });
  t.is(resultOf(again), '400 invalid_or_expired_token');

  const out = await api.call('POST', '/api/v1/admin/session/sign-out', { headers });
  t.is(out.status, 204);
  t.regex(out.headers.get('set-cookie') ?? '', /^staff_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/);
  for (const path of [session, '/api/v1/admin/orders'])
    t.is(resultOf(await api.call('GET', path, { headers })), invalidSession);
});

test.serial(
  'an unknown address, a revoked member and one of another store get the same response and no email',
  async (t) => {
    const { api, ctx, services, tenant } = t.context;
    const owner = await buildStaff(ctx);
    const revoked = await buildStaff(ctx, { role: 'support' });
    await revokeStaff(ctx, revoked, all);
    const elsewhere = await buildStaff({ ...ctx, tenant: await buildTenant(services) });
    const answers = [];
    for (const email of [owner.email, revoked.email, elsewhere.email, newAddress()]) {
      const { status, body } = await api.call('POST', request, { tenant: tenant.slug, body: { email } });
      answers.push({ status, body });
    }
    t.deepEqual(answers, Array(4).fill({ status: 202, body: { ok: true } }));
    await runJobs(services);
    const counts = [owner, revoked, elsewhere].map(({ email }) => mailer.to(email).length);
    t.deepEqual(counts, [1, 0, 0]);
  },
);

test.serial(
  'a link works once however many use it at once, for fifteen minutes, in its store, and the newest three',
  async (t) => {
    const { api, ctx, services, clock, tenant } = t.context;
    const { email } = await buildStaff(ctx);
    const used = (token: string, slug = tenant.slug) => api.call('POST', consume, { tenant: slug, body: { token } });

    const token = await buildStaffLink(ctx, email);
    const other = await buildTenant(services);
    await buildStaff({ ...ctx, tenant: other }, { email });
    t.is(resultOf(await used(token, other.slug)), '400 invalid_or_expired_token');
    const results = await Promise.all(Array.from({ length: 8 }, () => used(token)));
    t.deepEqual(results.map(({ status }) => status).toSorted(), [200, 400, 400, 400, 400, 400, 400, 400]);

    const links = [];
    for (let count = 0; count < 4; count += 1) links.push(await buildStaffLink(ctx, email));
    t.is(resultOf(await used(links[0] ?? '')), '400 invalid_or_expired_token');
    t.is((await used(links[1] ?? '')).status, 200);
    const late = links[2] ?? '';
    clock.pass(minutes(15));
    t.is(resultOf(await used(late)), '400 invalid_or_expired_token');
  },
);

test.serial('a session ends after 12 hours without use and after 7 days of use', async (t) => {
  const { api, ctx, clock } = t.context;
  const { headers } = await buildStaffSession(ctx);
  const read = async () => resultOf(await api.call('GET', session, { headers }));
  for (let hour = 0; hour < 7 * 24; hour += 11) {
    t.is(await read(), '200', `after ${hour} hours`);
    clock.pass(hours(11));
  }
  t.is(await read(), '401 expired_session');

  const [idle, used] = [await buildStaffSession(ctx), await buildStaffSession(ctx)];
  clock.pass(hours(6));
  t.is(resultOf(await api.call('GET', session, { headers: used.headers })), '200');
  clock.pass(hours(6));
  t.is(resultOf(await api.call('GET', session, { headers: idle.headers })), '401 expired_session');
  t.deepEqual(await listStaffSessions(ctx, { staffId: idle.staff.id }), []);
  clock.pass(-days(30));
  t.is(resultOf(await api.call('GET', session, { headers: idle.headers })), '200');
});

test('a changing request needs the origin of this service; no page of another origin gets in', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { headers } = await buildStaffSession(ctx);
  const send = async (method: string, more: Record<string, string>) =>
    resultOf(
      await api.call(method, method === 'GET' ? session : '/api/v1/admin/session/sign-out', {
        headers: { ...headers, ...more },
      }),
    );
  const rejected = '403 origin_not_allowed';
  const foreign = tenant.storefrontUrl;
  t.is(await send('POST', {}), rejected);
  t.is(await send('POST', { origin: foreign }), rejected);
  t.is(await send('POST', { origin: 'null' }), rejected);
  t.is(await send('POST', { origin: api.url, 'sec-fetch-site': 'cross-site' }), rejected);
  t.is(await send('POST', { origin: api.url, 'sec-fetch-site': 'same-site' }), rejected);
  t.is(await send('POST', { origin: api.url, 'sec-fetch-site': 'none' }), rejected);
  t.is(await send('GET', { origin: foreign }), rejected);
  t.is(await send('GET', { 'sec-fetch-site': 'same-site' }), rejected);
  t.is(await send('GET', {}), '200');
  for (const site of ['same-origin', 'none']) t.is(await send('GET', { 'sec-fetch-site': site }), '200', site);
  t.is(await send('POST', { origin: new URL(ctx.settings.publicUrl).origin, 'sec-fetch-site': 'same-origin' }), '204');

  const { email } = await buildStaff(ctx);
  const token = await buildStaffLink(ctx, email);
  const signIn = (origin: string) =>
    api.call('POST', consume, { tenant: tenant.slug, body: { token }, headers: { origin } });
  t.is(resultOf(await signIn(foreign)), rejected);
  t.is((await signIn(api.url)).status, 200);
});

test('the cookie opens admin routes only, yields to a key, and never reaches another store', async (t) => {
  const { api, ctx, services, tenant } = t.context;
  const { headers, token } = await buildStaffSession(ctx);
  const key = await buildKey(ctx, ['admin.catalog:read']);
  t.is(resultOf(await api.call('GET', '/api/v1/admin/orders', { key, headers })), '403 insufficient_scope');
  t.is(resultOf(await api.call('GET', session, { key, headers })), invalidSession);
  t.is(
    resultOf(await api.call('GET', '/api/v1/subscriptions/sub_01m7xfs208fk1sctzyr3afnpz3', { headers })),
    '401 missing_key',
  );
  t.is(resultOf(await api.call('GET', '/api/v1/customer/me', { headers })), invalidSession);
  t.is(resultOf(await api.call('GET', '/api/v1/customer/me', { key: token })), invalidSession);

  const other = await buildTenant(services);
  t.is(resultOf(await api.call('GET', session, { tenant: other.slug, headers })), invalidSession);
  t.is((await api.call('GET', session, { tenant: tenant.slug, headers })).status, 200);
  const moved = other.id.slice(-26) + token.slice(26);
  for (const forged of [moved, `${token}x`, token.slice(0, -1), 'x', ''])
    t.is(resultOf(await api.call('GET', session, { headers: { cookie: `staff_session=${forged}` } })), invalidSession);
});

test('a new role and revoking take effect with the next request, and only the hash of a token is stored', async (t) => {
  const { api, ctx } = t.context;
  await buildStaff(ctx);
  const { staff, headers, token } = await buildStaffSession(ctx, { role: 'manager' });
  const orders = async () => resultOf(await api.call('GET', '/api/v1/admin/orders', { headers }));
  const keys = async () => resultOf(await api.call('GET', '/api/v1/admin/keys', { headers }));
  t.deepEqual([await orders(), await keys()], ['200', '200']);
  await changeStaff(ctx, { id: staff.id, role: 'support' }, all);
  t.deepEqual([await orders(), await keys()], ['200', '403 insufficient_scope']);
  await revokeStaff(ctx, staff, all);
  t.deepEqual([await orders(), await keys()], [invalidSession, invalidSession]);
  const rows = await transact(ctx, (ctx) => ctx.tx.execute(sql`select * from staff_sessions`));
  t.false(JSON.stringify(rows).includes(token.slice(26)));
  t.is((await runOnPlatformTables(ctx, sql`select 1 from staff_sessions`)).length, 0);
});

test('a member lists and ends their own sessions, and those of others only with the scope', async (t) => {
  const { api, ctx, services } = t.context;
  const owner = await buildStaffSession(ctx);
  const analyst = await buildStaffSession(ctx, { role: 'analyst' });
  const as = ({ headers }: { headers: { cookie: string } }) => ({ headers: { ...headers, origin: api.url } });
  const listed = await api.call('GET', '/api/v1/admin/sessions', as(analyst));
  t.deepEqual(
    listed.body.sessions.map(({ id }: { id: string }) => id),
    [analyst.id],
  );
  const ofOwner = `/api/v1/admin/sessions?staff_id=${owner.staff.id}`;
  t.is(resultOf(await api.call('GET', ofOwner, as(analyst))), '403 insufficient_scope');
  t.is(resultOf(await api.call('POST', `/api/v1/admin/sessions/${owner.id}/revoke`, as(analyst))), '404 not_found');
  const ofAnalyst = `/api/v1/admin/sessions?staff_id=${analyst.staff.id}`;
  t.is((await api.call('GET', ofAnalyst, as(owner))).body.sessions.length, 1);
  const revoke = async () => resultOf(await api.call('POST', `/api/v1/admin/sessions/${analyst.id}/revoke`, as(owner)));
  t.is(await revoke(), '403 second_factor_required');
  await verify(ctx, owner);
  const elsewhere = await buildStaffSession({ ...ctx, tenant: await buildTenant(services) });
  t.is(resultOf(await api.call('POST', `/api/v1/admin/sessions/${analyst.id}/revoke`, as(elsewhere))), '404 not_found');
  t.is((await api.call('GET', ofAnalyst, as(elsewhere))).body.sessions.length, 0);
  const another = await buildStaffSession(ctx, analyst.staff);
  for (const _ of [1, 2]) t.is(await revoke(), '200');
  t.is(resultOf(await api.call('GET', session, as(analyst))), invalidSession);
  t.is(resultOf(await api.call('GET', session, as(another))), '200', 'another session of the same member');
  t.is((await auditOf(ctx)).filter(({ action }) => action === 'staff.session_revoked').length, 1);
  t.like((await auditOf(ctx)).at(-1), {
    action: 'staff.session_revoked',
    actor: { kind: 'staff', id: owner.staff.id },
    subject: { kind: 'staff', id: analyst.staff.id },
  });
});

test('outside local mode a changing request needs the public origin, not that of the host it is sent to', async (t) => {
  const { ctx, services } = t.context;
  const settings = { ...services.config.settings, localMode: false };
  const strict = await serveApi({ ...services, config: { ...services.config, settings } });
  t.teardown(strict.close);
  const { headers } = await buildStaffSession(ctx);
  const cookie = `__Host-${headers.cookie}`;
  const signOut = async (origin: string) =>
    resultOf(await strict.call('POST', '/api/v1/admin/session/sign-out', { headers: { ...headers, cookie, origin } }));
  t.is(await signOut(strict.url), '403 origin_not_allowed');
  t.is(await signOut(new URL(settings.publicUrl).origin), '204');
});

test('outside local mode the cookie is bound to its host and to TLS', async (t) => {
  const expiresAt = new Date('2026-11-30T12:00:00Z');
  const settings = { ...t.context.ctx.settings, localMode: false };
  t.is(
    staffCookie(settings, 'x', { expiresAt }),
    '__Host-staff_session=x; Expires=Mon, 30 Nov 2026 12:00:00 GMT; Path=/; HttpOnly; SameSite=Strict; Secure',
  );
  t.is(clearedStaffCookie(settings), '__Host-staff_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure');
});

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

test.serial('an emailed code verifies the session that requested it for ten minutes, once', async (t) => {
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

test.serial('what is as good as money needs a verified session: new gift cards and imports of them', async (t) => {
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

test.serial('where events are sent, with who bought what, needs a verified session to change', async (t) => {
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

test.serial('after five wrong codes no code is accepted for fifteen minutes, however many come at once', async (t) => {
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
  const next = await buildVerificationCode(ctx, member);
  t.is(resultOf(await page.verify(next === wrong ? right : wrong)), badCode, 'the first of five again');
  t.is((await page.verify(next)).status, 200);

  for (let count = 0; count < 3; count += 1) t.is((await page.post('/session/verification/email')).status, 202);
  t.is(resultOf(await page.post('/session/verification/email')), '429 rate_limited');
});

test.serial('an app is set up with a verified session, and replaces the emailed code', async (t) => {
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

test.serial('revoking a member removes their app and its recovery codes', async (t) => {
  const { ctx } = t.context;
  await buildStaffSession(ctx);
  const { member, confirm } = await buildTotp(t.context);
  const [code = ''] = (await confirm()).body.recovery_codes;
  const { email, id } = member.staff;
  await revokeStaff(ctx, { id }, roles.owner);
  const again = pageOf(t.context, await buildStaffSession(ctx, { email }));
  t.like((await again.get('/session')).body.staff, { id, second_factor: 'email' });
  t.is(resultOf(await again.verify(code)), badCode);
  t.deepEqual(await read(ctx, sql`select used_at from staff_recovery_codes where tenant_id = ${ctx.tenant.id}`), []);
});

test.serial('a recovery code replaces the app once, and nothing stored or logged reveals a code', async (t) => {
  const { ctx } = t.context;
  const { page, confirm, codeAt } = await buildTotp(t.context);
  const [code = '', other = ''] = (await confirm()).body.recovery_codes;
  t.is((await page.verify(code.slice(1))).body.detail, 'code must be written like 123456 or k7m2p-q9x4t.');
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

test.serial('where the key of an app is lost, a recovery code verifies, and the app can be removed', async (t) => {
  const { ctx } = t.context;
  const { member, confirm, codeAt } = await buildTotp(t.context);
  const [code = ''] = (await confirm()).body.recovery_codes;
  const later = { ...ctx, keyring: createKeyring([['k9', randomBytes(32)]]) };
  await t.throwsAsync(verifyStaffSession(later, member, codeAt(1)), { code: 'invalid_or_expired_token' });
  t.truthy((await verifyStaffSession(later, member, code)).verifiedUntil);
  t.false((await disableTotp(later, member)).staff.hasTotp);
});

test.serial("a verified session replaces the owner's one-time password; a key needs it as before", async (t) => {
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

test.serial('refunds above the limit of a day need the second factor, also in parts', async (t) => {
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

test.serial('a fulfilment role can neither refund nor change stock, keys or staff', async (t) => {
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

test.serial('a support role grants no discount: it can neither save a partner nor import one', async (t) => {
  const { api, ctx } = t.context;
  const member = await buildStaffSession(ctx, { role: 'support' });
  const page = pageOf(t.context, member);
  const imported = api.call('POST', '/api/v1/admin/imports?kind=partners&format=csv', {
    headers: { ...member.headers, origin: api.url, 'content-type': 'text/csv' },
    body: 'code,name,discount_percent\nfriend,A friend,100\n',
  });
  const results = [
    await page.post('/partners', { code: 'friend', name: 'A friend', discount_percent: 100 }),
    await imported,
    await page.post('/promo-codes', { code: 'FRIEND', type: 'percent', value: 100 }),
  ];
  t.deepEqual(results.map(resultOf), Array(3).fill('403 insufficient_scope'));
  t.is((await page.get('/partners')).status, 200);
});

test.serial('a limit of 0 asks for the second factor at each refund, also of a return', async (t) => {
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

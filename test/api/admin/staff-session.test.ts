import anyTest, { type TestFn } from 'ava';

import { clearedStaffCookie, staffCookie } from '#src/api/lib/staff-cookie.ts';
import { runOnPlatformTables, transact } from '#src/database/transact.ts';
import { changeStaff, revokeStaff } from '#src/domain/staff/index.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildStaff, buildStaffLink, buildStaffSession, verify } from '#test/support/factories/staff.ts';
import { fakeMailer, linkIn } from '#test/support/fakes/mailer.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';
import { auditOf, resultOf } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<ApiContext>;
const mailer = fakeMailer();
useApi(test, { ports: { mailer } });

const request = '/api/v1/admin/sign-in/request';
const consume = '/api/v1/admin/sign-in/consume';
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
  for (let hour = 0; hour < 7 * 24 - 11; hour += 11) {
    t.is(await read(), '200', `after ${hour} hours`);
    clock.pass(hours(11));
  }
  clock.pass(hours(12));
  t.is(await read(), '401 expired_session');

  const idle = await buildStaffSession(ctx);
  clock.pass(hours(12));
  t.is(resultOf(await api.call('GET', session, { headers: idle.headers })), '401 expired_session');
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
  t.is(await send('GET', { origin: foreign }), rejected);
  t.is(await send('GET', { 'sec-fetch-site': 'same-site' }), rejected);
  t.is(await send('GET', {}), '200');
  t.is(await send('GET', { 'sec-fetch-site': 'same-origin' }), '200');
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
  t.is(await revoke(), '200');
  t.is(resultOf(await api.call('GET', session, as(analyst))), invalidSession);
  t.like((await auditOf(ctx)).at(-1), {
    action: 'staff.session_revoked',
    actor: { kind: 'staff', id: owner.staff.id },
    subject: { kind: 'staff', id: analyst.staff.id },
  });
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

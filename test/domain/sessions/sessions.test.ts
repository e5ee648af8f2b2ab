import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { pruneSessions } from '#jobs/retention.ts';
import { mailLink as mailLinkJob } from '#jobs/sessions.ts';
import { mailStaffLink as mailStaffLinkJob } from '#jobs/staff.ts';
import { read, transact } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import type { Context } from '#src/domain/context.ts';
import {
  consumeLink,
  endSession,
  mailLink,
  openSession,
  pathOnStorefront,
  renewToken,
  requestLink,
  rotateSession,
  tenantIdOfSession,
} from '#src/domain/sessions/index.ts';
import { safePath } from '#src/domain/sessions/request-link.ts';
import type { GrantedSession } from '#src/domain/sessions/session.ts';
import {
  consumeStaffLink,
  mailInvitation,
  mailStaffLink,
  requestStaffLink,
  revokeStaff,
} from '#src/domain/staff/index.ts';
import { deriveToken, readSessionSecret, rotateSessionSecret, tokenPurposes } from '#src/domain/tenants/index.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { days, minutes, seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildLink, buildSession, linkRequest, linksOf, sessionsOf } from '#test/support/factories/sessions.ts';
import { buildStaff, buildStaffLink } from '#test/support/factories/staff.ts';
import { fakeMailer, linkIn } from '#test/support/fakes/mailer.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
const mailer = fakeMailer();
useContext(test, { ports: { mailer }, environment: { RATE_LIMIT_SCALE: '1' } });

/** The context of one moment that is so much later. */
const later = (ctx: Context, milliseconds: number): Context => {
  const now = new Date(ctx.clock.now().getTime() + milliseconds);
  return { ...ctx, clock: { now: () => now } };
};

const consume = (ctx: Context, token: string, codeVerifier: string | null = null) =>
  consumeLink(ctx, { token, codeVerifier });

const refused = { code: 'invalid_or_expired_token' };

test.serial('requestLink does the same for known and unknown customers: one row, one job', async (t) => {
  const { ctx, services } = t.context;
  const { email } = await buildCustomer(ctx);
  const known = await countStatements(services, () =>
    requestLink(ctx, linkRequest(email, { clientNetwork: '203.0.113.7' })),
  );
  const unknown = await countStatements(services, () =>
    requestLink(ctx, linkRequest(newAddress(), { clientNetwork: '203.0.113.8' })),
  );
  t.deepEqual(unknown.statements, known.statements);
  t.is(known.statements.length, 3, known.statements.join('\n'));
  t.is((await enqueuedJobs(ctx, mailLinkJob)).length, 2);
});

test.serial('mailLink emails known customers once, and neither row holds the token', async (t) => {
  const { ctx, services } = t.context;
  const [{ email }, unknown] = [await buildCustomer(ctx), newAddress()];
  for (const to of [` ${email.toUpperCase()} `, unknown]) await requestLink(ctx, linkRequest(to));
  await runJobs(services);
  for (const { linkId } of await enqueuedJobs(ctx, mailLinkJob)) await mailLink(ctx, { linkId });
  await runJobs(services);

  t.deepEqual(mailer.to(unknown), []);
  const [mail, ...others] = mailer.to(email);
  t.is(others.length, 0);
  t.deepEqual(
    [await linksOf(ctx, email), await linksOf(ctx, unknown)].flat().map(({ outcome }) => outcome),
    ['mailed', 'unknown_address'],
  );
  const link = linkIn(mail ?? { text: '' }, '/account/sign-in');
  t.is(link.origin, ctx.tenant.storefrontUrl);
  t.deepEqual([...link.searchParams.keys()], ['token']);
  t.is((await consume(ctx, link.searchParams.get('token') ?? '')).customer.email, email);

  const { rows } = await ctx.database.pool.query(
    `select string_agg(x::text, '') as text from set_config('app.tenant_id', $1, true) s(id), lateral (
       select to_jsonb(l) from sign_in_links l where s.id is not null
       union all select to_jsonb(m) from mails m where s.id is not null
       offset 0) x`,
    [ctx.tenant.id],
  );
  t.false(rows[0].text.includes((link.searchParams.get('token') ?? '').slice(30)));
});

test('of a hundred concurrent uses of one link, one gets a session', async (t) => {
  const { ctx } = t.context;
  const customer = await buildCustomer(ctx);
  const token = await buildLink(ctx, customer.email);
  const results = await Promise.allSettled(Array.from({ length: 100 }, () => consume(ctx, token)));
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
  t.deepEqual(await sessionsOf(ctx, customer.id), ['open']);
  await t.throwsAsync(consume(ctx, token), refused);
});

test('a link works for 15 minutes, and only the newest three of an email address work', async (t) => {
  const { ctx } = t.context;
  const { email } = await buildCustomer(ctx);
  const tokens: string[] = [];
  for (const minute of [0, 1, 2, 3]) tokens.push(await buildLink(later(ctx, minutes(minute)), email));
  const [first = '', second = '', third = '', fourth = ''] = tokens;
  const now = later(ctx, minutes(3));
  await t.throwsAsync(consume(now, first), refused);
  await t.throwsAsync(consume(later(ctx, minutes(18)), second), refused);
  await t.notThrowsAsync(consume(later(ctx, minutes(14)), second));
  await t.notThrowsAsync(consume(now, fourth));
  await t.notThrowsAsync(consume(now, third));
});

test('requests of others for the link of a customer do not end the link they have', async (t) => {
  const { ctx } = t.context;
  const { email } = await buildCustomer(ctx);
  const own = await buildLink(ctx, email, { clientNetwork: '192.0.2.0' });
  const others: string[] = [];
  for (let count = 0; count < 4; count += 1)
    others.push(await buildLink(ctx, email, { clientNetwork: '198.51.100.0' }));
  await t.notThrowsAsync(consume(ctx, own));
  await t.throwsAsync(consume(ctx, others[0] ?? ''), refused);
});

const signIns = {
  customer: {
    build: buildCustomer,
    link: (ctx: Context, email: string) => buildLink(ctx, email),
    request: (ctx: Context, email: string) => requestLink(ctx, linkRequest(email)),
    use: (ctx: Context, token: string) => consume(ctx, token),
  },
  member: {
    build: buildStaff,
    link: (ctx: Context, email: string) => buildStaffLink(ctx, email),
    request: (ctx: Context, email: string) => requestStaffLink(ctx, { email, clientNetwork: undefined }),
    use: (ctx: Context, token: string) => consumeStaffLink(ctx, { token }),
  },
};
for (const [who, { build, link, request, use }] of Object.entries(signIns)) {
  test(`links of another ${who}, and links that were not emailed, do not end the link of a ${who}`, async (t) => {
    const { ctx } = t.context;
    const [{ email }, { email: otherEmail }] = [await build(ctx), await build(ctx)];
    const own = await link(ctx, email);
    for (let count = 0; count < 3; count += 1) await link(ctx, otherEmail);
    for (let count = 0; count < 3; count += 1) await request(ctx, email);
    await t.notThrowsAsync(use(ctx, own));
  });
}

test('a link of one store is rejected at another', async (t) => {
  const { ctx, services } = t.context;
  const { email } = await buildCustomer(ctx);
  const other: Context = { ...ctx, tenant: await buildTenant(services) };
  await buildCustomer(other, { email });
  const token = await buildLink(ctx, email);
  await t.throwsAsync(consume(other, token), refused);
  await t.throwsAsync(consume(ctx, 'nonsense'), refused);
  await t.notThrowsAsync(consume(ctx, token));
});

test('a link requested with a challenge is neither accepted nor used up without its verifier', async (t) => {
  const { ctx } = t.context;
  const { email } = await buildCustomer(ctx);
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const token = await buildLink(ctx, email, { codeChallenge: sha256(verifier).toString('base64url') });
  for (const guess of [null, 'something else', sha256(verifier).toString('base64url')])
    await t.throwsAsync(consume(ctx, token, guess), refused);
  await t.notThrowsAsync(consume(ctx, token, verifier));
  await t.throwsAsync(consume(ctx, token, verifier), refused);
  t.is(sha256(verifier).toString('base64url'), 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', 'RFC 7636, appendix B');
});

test('a secret rotation invalidates links emailed before, and links emailed after it work', async (t) => {
  const { ctx } = t.context;
  const { email } = await buildCustomer(ctx);
  const before = await buildLink(ctx, email);
  await transact(ctx, rotateSessionSecret);
  await t.throwsAsync(consume(ctx, before), refused);
  await t.notThrowsAsync(consume(ctx, await buildLink(ctx, email)));
});

test.serial(
  'a link that was requested before a rotation and emailed after it works, and one that was emailed before does not',
  async (t) => {
    const { ctx, services } = t.context;
    const { email } = await buildCustomer(ctx);
    await requestLink(ctx, linkRequest(email));
    const [{ linkId } = { linkId: '' }] = await enqueuedJobs(ctx, mailLinkJob);
    await mailLink(ctx, { linkId });
    const stale = await deriveToken(ctx, tokenPurposes.signIn, linkId);
    await transact(ctx, rotateSessionSecret);
    await runJobs(services);

    const [mail] = mailer.to(email);
    const token = linkIn(mail ?? { text: '' }, '/account/sign-in').searchParams.get('token') ?? '';
    t.not(token, stale);
    await t.throwsAsync(consume(ctx, stale), refused);
    t.is((await consume(ctx, token)).customer.email, email);
    await t.throwsAsync(consume(ctx, token), refused);
  },
);

test.serial('a link that was used while its second email waited is not emailed again', async (t) => {
  const { ctx, services } = t.context;
  const { email } = await buildCustomer(ctx);
  const token = await buildLink(ctx, email);
  await consume(ctx, token);
  await runJobs(services);
  t.deepEqual(mailer.to(email), []);
});

test.serial('the link of a member who was revoked while its email waited is not emailed', async (t) => {
  const { ctx, services } = t.context;
  const [revoked, member] = [await buildStaff(ctx), await buildStaff(ctx)];
  for (const staff of [revoked, member]) {
    await buildStaffLink(ctx, staff.email);
    await transact(ctx, (ctx) => mailInvitation(ctx, staff));
  }
  await revokeStaff(ctx, revoked, ['admin:write']);
  await runJobs(services);
  t.deepEqual(mailer.to(revoked.email), []);
  t.is(mailer.to(member.email).length, 2);
});

test('with customer accounts disabled nothing is stored, and links requested before are not sent', async (t) => {
  const { ctx } = t.context;
  const off: Context = {
    ...ctx,
    tenant: { ...ctx.tenant, modules: { ...ctx.tenant.modules, customer_accounts: false } },
  };
  const { email } = await buildCustomer(ctx);
  await requestLink(off, linkRequest(email));
  t.deepEqual(await linksOf(ctx, email), []);
  await requestLink(ctx, linkRequest(email));
  const [{ linkId } = { linkId: '' }] = await enqueuedJobs(ctx, mailLinkJob);
  await mailLink(off, { linkId });
  t.like(await linksOf(ctx, email), only({ outcome: 'switched_off' }));
});

test('an expired link is not emailed', async (t) => {
  const { ctx } = t.context;
  const { email } = await buildCustomer(ctx);
  await requestLink(ctx, linkRequest(email));
  const [{ linkId } = { linkId: '' }] = await enqueuedJobs(ctx, mailLinkJob);
  await mailLink(later(ctx, minutes(15)), { linkId });
  t.like(await linksOf(ctx, email), only({ outcome: 'too_late' }));
});

test('a link redirects only to a path of the storefront', async (t) => {
  const { ctx } = t.context;
  const { tenant } = ctx;
  t.is(safePath('/account/orders?tab=open#top'), '/account/orders?tab=open#top');
  for (const evil of [
    '',
    'account',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/account\u0007',
    '\\/evil.example',
    'javascript:alert(1)',
    '/a b',
    `/${'a'.repeat(1000)}`,
  ])
    t.is(safePath(evil), null, evil);

  t.is(pathOnStorefront(tenant, `${tenant.storefrontUrl}/account?x=1`), '/account?x=1');
  for (const evil of [
    'https://evil.example/account',
    `${tenant.storefrontUrl}.evil.example/`,
    `https://a@${tenant.slug}.example/`,
    'nonsense',
    `${tenant.storefrontUrl}//evil.example`,
  ]) {
    t.is(pathOnStorefront(tenant, evil), null, evil);
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      const path = safePath(`/${text}`);
      return path === null || new URL(path, 'https://shop.example').origin === 'https://shop.example';
    }),
  );

  const { email } = await buildCustomer(ctx);
  await buildLink(ctx, email, { redirectPath: '//evil.example' });
  await buildLink(ctx, email, { redirectPath: '/account/orders' });
  t.deepEqual(
    (await linksOf(ctx, email)).map(({ redirectPath }) => redirectPath),
    [null, '/account/orders'],
  );
});

test('tokens are derived from the id of their link, and no two links share one', async (t) => {
  const { ctx } = t.context;
  const tokens = await Promise.all(['link_1', 'link_2'].map((id) => deriveToken(ctx, tokenPurposes.signIn, id)));
  t.is(new Set(tokens).size, 2);
});

/** How many links to these addresses are mailed when the workers come to them, at once and twice. */
async function mailedTo(ctx: Context, emails: readonly string[]): Promise<number> {
  const jobs = await enqueuedJobs(ctx, mailLinkJob);
  await Promise.all([...jobs, ...jobs].map((payload) => mailLink(ctx, payload)));
  const links = (await Promise.all(emails.map((email) => linksOf(ctx, email)))).flat();
  return links.filter(({ outcome }) => outcome === 'mailed').length;
}

test('an email address gets five links an hour, also with concurrent requests from many clients', async (t) => {
  const { ctx, services } = t.context;
  const { email } = await buildCustomer(ctx);
  const request = (index: number) => requestLink(ctx, linkRequest(email, { clientNetwork: `203.0.113.${index}` }));
  await Promise.all(Array.from({ length: 20 }, (_, index) => request(index)));
  t.is(await mailedTo(ctx, [email]), 5);
  const rows = (await linksOf(ctx, email)).length;
  await request(99);
  t.is((await linksOf(ctx, email)).length, rows, 'what is beyond the limit leaves no row');

  const other: Context = { ...ctx, tenant: await buildTenant(services) };
  await buildCustomer(other, { email });
  await requestLink(other, linkRequest(email));
  t.is(await mailedTo(other, [email]), 1, 'another store counts for itself');
  const nextHour = later(ctx, minutes(61));
  await requestLink(nextHour, linkRequest(email));
  t.is(await mailedTo(nextHour, [email]), 6);
});

test('one client gets thirty links an hour, and requests without a client are not counted', async (t) => {
  const { ctx } = t.context;
  const request = async (clientNetwork: string | undefined) => {
    const emails: string[] = [];
    for (let count = 0; count < 33; count += 1) emails.push((await buildCustomer(ctx)).email);
    for (const email of emails) await requestLink(ctx, linkRequest(email, { clientNetwork }));
    return mailedTo(ctx, emails);
  };
  t.is(await request('203.0.113.7'), 30);
  t.is(await request('203.0.113.8'), 30);
  t.is(await request(undefined), 33);
});

test('requests of others for the link of a member neither keep the member out nor end the link they have', async (t) => {
  const { ctx } = t.context;
  const member = await buildStaff(ctx);
  const own = await buildStaffLink(ctx, member.email, '192.0.2.0');
  const requestFrom = (clientNetwork: string) =>
    Promise.all(Array.from({ length: 10 }, () => requestStaffLink(ctx, { email: member.email, clientNetwork })));
  const mailed = async () => {
    const jobs = await enqueuedJobs(ctx, mailStaffLinkJob);
    await Promise.all([...jobs, ...jobs].map((payload) => mailStaffLink(ctx, payload)));
    const rows = await read(
      ctx,
      sql`
      select from staff_links where tenant_id = ${ctx.tenant.id} and email = ${member.email} and outcome = 'mailed'`,
    );
    return rows.length;
  };
  await requestFrom('198.51.100.0');
  t.is(await mailed(), 6);
  await consumeStaffLink(ctx, { token: own });
  await consumeStaffLink(ctx, { token: await buildStaffLink(ctx, member.email, '192.0.2.0') });
  await transact(ctx, (ctx) => mailInvitation(ctx, member));

  for (const host of [1, 2, 3, 4]) await requestFrom(`203.0.113.${host}`);
  t.is(await mailed(), 20);
});

/** The context of this moment, which time leaves alone. */
const frozen = ({ ctx }: TestContext) => later(ctx, 0);

const refreshTokenOf = ({ refreshToken }: GrantedSession) => refreshToken ?? '';
const invalid = { code: 'invalid_session' };
const expired = { code: 'expired_session' };

test('a session is a token that its store signs for 15 minutes', async (t) => {
  const ctx = frozen(t.context);
  const { token, customer, id, expiresAt, refreshExpiresAt } = await buildSession(ctx, { name: 'Ada' });
  t.deepEqual(decodeProtectedHeader(token), { alg: 'HS256', typ: 'JWT', kid: `${ctx.tenant.id}.1` });
  const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
  t.deepEqual(claims, { iss: ctx.settings.publicUrl, aud: ctx.tenant.slug, sub: customer.id, sid: id });
  t.is(exp - iat, 900);
  t.is(expiresAt.getTime(), seconds(exp));
  t.is(refreshExpiresAt.getTime(), ctx.clock.now().getTime() + days(30));
  t.is(await tenantIdOfSession(token), ctx.tenant.id);

  const session = await openSession(later(ctx, minutes(14.9)), token);
  t.deepEqual(session.customer, { id: customer.id, email: customer.email, name: 'Ada' });
  await t.throwsAsync(openSession(later(ctx, minutes(15.1)), token), expired);
});

test('a session token of another store, or not signed by this store, is rejected', async (t) => {
  const { ctx, services } = t.context;
  const { token, id, customer } = await buildSession(ctx);
  await t.throwsAsync(openSession({ ...ctx, tenant: await buildTenant(services) }, token), invalid);

  const secret = await readSessionSecret(ctx);
  const forge = async (change: {
    alg?: string;
    kid?: string;
    issuer?: string;
    audience?: string;
    key?: string;
    sid?: string;
    typ?: string;
  }) =>
    new SignJWT({ sid: change.sid ?? id })
      .setProtectedHeader({
        alg: change.alg ?? 'HS256',
        typ: change.typ ?? 'JWT',
        kid: change.kid ?? `${ctx.tenant.id}.1`,
      })
      .setIssuer(change.issuer ?? ctx.settings.publicUrl)
      .setAudience(change.audience ?? ctx.tenant.slug)
      .setSubject(customer.id)
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(change.key ?? secret.secret));
  await t.notThrowsAsync(openSession(ctx, await forge({})));
  for (const change of [
    { alg: 'HS512' },
    { kid: `${ctx.tenant.id}.2` },
    { issuer: 'https://evil.example' },
    { audience: 'other' },
    { key: 'x'.repeat(48) },
    { sid: 'ses_none' },
    { typ: 'at+jwt' },
  ])
    await t.throwsAsync(
      forge(change).then((token) => openSession(ctx, token)),
      invalid,
      JSON.stringify(change),
    );

  const [, body] = token.split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT', kid: `${ctx.tenant.id}.1` })).toString(
    'base64url',
  );
  for (const nonsense of [`${none}.${body}.`, `${token}x`, '', 'a.b.c', refreshTokenOf(await buildSession(ctx))]) {
    await t.throwsAsync(openSession(ctx, nonsense), invalid);
  }
});

test("a session is that of its customer beside another's, from signing in to signing out", async (t) => {
  const { ctx } = t.context;
  const sessions = [await buildSession(ctx), await buildSession(ctx)];
  const [first, second] = sessions;
  for (const session of sessions) {
    const { id, email, name } = session.customer;
    const customer = { id, email, name };
    t.like(await openSession(ctx, session.token), { id: session.id, customer });
    t.like(await rotateSession(ctx, refreshTokenOf(session)), { id: session.id, customer });
  }
  await endSession(ctx, first?.id ?? '');
  await t.throwsAsync(openSession(ctx, first?.token ?? ''), invalid);
  await t.notThrowsAsync(openSession(ctx, second?.token ?? ''));
});

test('signing out invalidates every token of the session at once', async (t) => {
  const ctx = frozen(t.context);
  const session = await buildSession(ctx);
  const elsewhere = await consumeLink(ctx, { token: await buildLink(ctx, session.customer.email), codeVerifier: null });
  await endSession(ctx, session.id);
  await endSession(ctx, session.id);
  await t.throwsAsync(openSession(ctx, session.token), invalid);
  await t.throwsAsync(rotateSession(ctx, refreshTokenOf(session)), invalid);
  await t.notThrowsAsync(openSession(ctx, elsewhere.token));
  t.deepEqual((await sessionsOf(ctx, session.customer.id)).toSorted(), ['open', 'signed_out']);
});

test('each refresh token is replaced by its successor, thirty days from the last use', async (t) => {
  const ctx = frozen(t.context);
  let session: GrantedSession = await buildSession(ctx);
  const tokens = new Set([session.refreshToken]);
  for (const day of [29, 58, 87]) {
    const now = later(ctx, days(day));
    session = await rotateSession(now, refreshTokenOf(session));
    tokens.add(session.refreshToken);
    t.is(session.refreshExpiresAt.getTime(), now.clock.now().getTime() + days(30));
    await t.notThrowsAsync(openSession(now, session.token));
  }
  t.is(tokens.size, 4);
  await t.throwsAsync(rotateSession(later(ctx, days(118)), refreshTokenOf(session)), expired);
});

test('an open session is renewed without a refresh token, up to the end of its refresh period', async (t) => {
  const ctx = frozen(t.context);
  const session = await buildSession(ctx);
  const last = later(ctx, days(30) - minutes(5));
  const renewed = await renewToken(last, session);
  t.is(renewed.refreshToken, null);
  t.deepEqual(renewed.refreshExpiresAt, session.refreshExpiresAt);
  t.true(Math.abs(renewed.expiresAt.getTime() - session.refreshExpiresAt.getTime()) < seconds(1));
  await t.notThrowsAsync(openSession(last, renewed.token));
});

test('a hundred concurrent refreshes get the same successor, and the session stays open', async (t) => {
  const ctx = frozen(t.context);
  const session = await buildSession(ctx);
  const all = await Promise.all(Array.from({ length: 100 }, () => rotateSession(ctx, refreshTokenOf(session))));
  t.is(new Set(all.map(({ refreshToken }) => refreshToken)).size, 1);
  t.deepEqual(await sessionsOf(ctx, session.customer.id), ['open']);
  const [row] = await read<{ tokens: number }>(
    ctx,
    sql`
    select count(*)::int as tokens from refresh_tokens where tenant_id = ${ctx.tenant.id}
      and session_id = ${session.id}`,
  );
  t.is(row?.tokens, 2);
  await t.notThrowsAsync(openSession(ctx, all[99]?.token ?? ''));
});

test('a refresh token reused within 30 seconds gets the same successor; later it ends the session', async (t) => {
  const ctx = frozen(t.context);
  const session = await buildSession(ctx);
  const next = await rotateSession(ctx, refreshTokenOf(session));
  t.is((await rotateSession(later(ctx, seconds(29)), refreshTokenOf(session))).refreshToken, next.refreshToken);
  await t.throwsAsync(rotateSession(later(ctx, seconds(31)), refreshTokenOf(session)), invalid);

  t.deepEqual(await sessionsOf(ctx, session.customer.id), ['token_reused']);
  await t.throwsAsync(rotateSession(ctx, refreshTokenOf(next)), invalid);
  await t.throwsAsync(openSession(ctx, next.token), invalid);
});

test('reusing a much older refresh token ends the session, too', async (t) => {
  const ctx = frozen(t.context);
  const [session, other] = [await buildSession(ctx), await buildSession(ctx)];
  const second = await rotateSession(ctx, refreshTokenOf(session));
  const third = await rotateSession(later(ctx, days(10)), refreshTokenOf(second));
  await t.throwsAsync(rotateSession(later(ctx, days(20)), refreshTokenOf(session)), invalid);
  await t.throwsAsync(rotateSession(later(ctx, days(20)), refreshTokenOf(third)), invalid);
  await t.notThrowsAsync(rotateSession(later(ctx, days(20)), refreshTokenOf(other)));
});

test('a refresh token of one store is rejected at another', async (t) => {
  const { ctx, services } = t.context;
  const session = await buildSession(ctx);
  await t.throwsAsync(rotateSession({ ...ctx, tenant: await buildTenant(services) }, refreshTokenOf(session)), invalid);
  await t.throwsAsync(rotateSession(ctx, 'nonsense'), invalid);
  await t.notThrowsAsync(rotateSession(ctx, refreshTokenOf(session)));
});

test('a secret rotation ends all sessions', async (t) => {
  const { ctx } = t.context;
  const session = await buildSession(ctx);
  await transact(ctx, rotateSessionSecret);
  await t.throwsAsync(openSession(ctx, session.token), invalid);
  await t.throwsAsync(rotateSession(ctx, refreshTokenOf(session)), invalid);
  await t.notThrowsAsync(openSession(ctx, (await buildSession(ctx)).token));
});

test.serial('openSession runs one statement besides reading the secret, and rotateSession two', async (t) => {
  const { ctx, services } = t.context;
  const session = await buildSession(ctx);
  t.is((await countStatements(services, () => openSession(ctx, session.token))).statements.length, 2);
  t.is((await countStatements(services, () => rotateSession(ctx, refreshTokenOf(session)))).statements.length, 3);
  t.is((await countStatements(services, () => endSession(ctx, session.id))).statements.length, 1);
});

test.serial('expired links and sessions are deleted, once', async (t) => {
  const { ctx, services } = t.context;
  const [old, live] = [await buildSession(ctx), await buildSession(ctx)];
  const count = async () =>
    (
      await read<{ links: number; sessions: number; tokens: number }>(
        ctx,
        sql`
    select (select count(*) from sign_in_links where tenant_id = ${ctx.tenant.id})::int as links,
      (select count(*) from sessions where tenant_id = ${ctx.tenant.id})::int as sessions,
      (select count(*) from refresh_tokens where tenant_id = ${ctx.tenant.id})::int as tokens`,
      )
    )[0];
  await rotateSession(later(ctx, days(20)), refreshTokenOf(live));
  const pruneAfter = (ms: number) => prune({ ...services.context(), clock: later(ctx, ms).clock }, pruneSessions);
  await pruneAfter(days(37) - minutes(1));
  t.is((await count())?.sessions, 2);
  for (const _ of [1, 2]) await pruneAfter(days(38));
  t.deepEqual(await count(), { links: 0, sessions: 1, tokens: 2 });
  t.deepEqual(await sessionsOf(ctx, old.customer.id), []);
});

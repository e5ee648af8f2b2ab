import anyTest, { type TestFn } from 'ava';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { pruneSessions } from '#jobs/retention.ts';
import { read, transact } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import type { Context } from '#src/domain/context.ts';
import {
  consumeLink,
  endSession,
  openSession,
  renewToken,
  rotateSession,
  tenantIdOfSession,
} from '#src/domain/sessions/index.ts';
import type { GrantedSession } from '#src/domain/sessions/session.ts';
import { readSessionSecret, rotateSessionSecret } from '#src/domain/tenants/index.ts';
import { days, minutes, seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '../../support/context.ts';
import { countStatements } from '../../support/count-statements.ts';
import { buildLink, buildSession, sessionsOf } from '../../support/factories/sessions.ts';
import { buildTenant } from '../../support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

/** The context of one moment, which time leaves alone, or of so much later. */
function frozen({ ctx, clock }: TestContext, laterMs = 0): Context {
  const now = new Date(clock.now().getTime() + laterMs);
  return { ...ctx, clock: { now: () => now } };
}
const later = (ctx: Context, milliseconds: number): Context => {
  const now = new Date(ctx.clock.now().getTime() + milliseconds);
  return { ...ctx, clock: { now: () => now } };
};
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
  t.notThrows(() => renewed.token);
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
  const session = await buildSession(ctx);
  const second = await rotateSession(ctx, refreshTokenOf(session));
  const third = await rotateSession(later(ctx, days(10)), refreshTokenOf(second));
  await t.throwsAsync(rotateSession(later(ctx, days(20)), refreshTokenOf(session)), invalid);
  await t.throwsAsync(rotateSession(later(ctx, days(20)), refreshTokenOf(third)), invalid);
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

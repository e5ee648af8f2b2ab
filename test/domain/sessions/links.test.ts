import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { mailLink as mailLinkJob } from '#jobs/sessions.ts';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { consumeLink, mailLink, pathOnStorefront, requestLink } from '#src/domain/sessions/index.ts';
import { safePath } from '#src/domain/sessions/request-link.ts';
import { deriveToken, rotateSessionSecret, tokenPurposes } from '#src/domain/tenants/index.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildLink, linkRequest, linksOf, sessionsOf } from '#test/support/factories/sessions.ts';
import { fakeMailer, linkIn } from '#test/support/fakes/mailer.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
const mailer = fakeMailer();
useContext(test, { ports: { mailer } });

const later = (ctx: Context, milliseconds: number): Context => ({
  ...ctx,
  clock: { now: () => new Date(ctx.clock.now().getTime() + milliseconds) },
});
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
  await t.throwsAsync(consume(later(ctx, minutes(16.1)), second), refused);
  await t.notThrowsAsync(consume(later(ctx, minutes(15.9)), second));
  await t.notThrowsAsync(consume(now, fourth));
  await t.notThrowsAsync(consume(now, third));
});

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
  t.like(await linksOf(ctx, email), [{ outcome: 'switched_off' }]);
});

test('an expired link is not emailed', async (t) => {
  const { ctx } = t.context;
  const { email } = await buildCustomer(ctx);
  await requestLink(ctx, linkRequest(email));
  const [{ linkId } = { linkId: '' }] = await enqueuedJobs(ctx, mailLinkJob);
  await mailLink(later(ctx, minutes(15)), { linkId });
  t.like(await linksOf(ctx, email), [{ outcome: 'too_late' }]);
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

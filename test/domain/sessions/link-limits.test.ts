import anyTest, { type TestFn } from 'ava';

import { mailLink as mailLinkJob } from '#jobs/sessions.ts';
import { mailStaffLink as mailStaffLinkJob } from '#jobs/staff.ts';
import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { mailLink, requestLink } from '#src/domain/sessions/index.ts';
import { consumeStaffLink, mailInvitation, mailStaffLink, requestStaffLink } from '#src/domain/staff/index.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { linkRequest, linksOf } from '#test/support/factories/sessions.ts';
import { buildStaff, buildStaffLink } from '#test/support/factories/staff.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test, { environment: { RATE_LIMIT_SCALE: '1' } });

const later = (ctx: Context, milliseconds: number): Context => ({
  ...ctx,
  clock: { now: () => new Date(ctx.clock.now().getTime() + milliseconds) },
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
    const emails = await Promise.all(Array.from({ length: 33 }, async () => (await buildCustomer(ctx)).email));
    await Promise.all(emails.map((email) => requestLink(ctx, linkRequest(email, { clientNetwork }))));
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

import anyTest, { type TestFn } from 'ava';

import type { Context } from '#src/domain/context.ts';
import { requestLink } from '#src/domain/sessions/index.ts';
import { minutes } from '#src/lib/duration.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { asked, linksOf } from '#test/support/factories/sessions.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test, { environment: { RATE_LIMIT_SCALE: '1' } });

const later = (ctx: Context, milliseconds: number): Context => ({ ...ctx, clock: { now: () => new Date(ctx.clock.now().getTime() + milliseconds) } });

test('an address gets five links an hour, however many ask at once and from wherever', async (t) => {
  const { ctx, services } = t.context;
  const email = newAddress();
  await Promise.all(Array.from({ length: 20 }, (_, index) => requestLink(ctx, asked(email, { household: `203.0.113.${index}` }))));
  t.is((await linksOf(ctx, email)).length, 5);

  const other: Context = { ...ctx, tenant: await buildTenant(services) };
  await requestLink(other, asked(email));
  t.is((await linksOf(other, email)).length, 1, 'another store counts for itself');
  await requestLink(later(ctx, minutes(61)), asked(email));
  t.is((await linksOf(ctx, email)).length, 6);
});

test('one client gets thirty links an hour, and a server that names nobody is not counted', async (t) => {
  const { ctx } = t.context;
  const ask = async (household: string | undefined) => {
    const emails = Array.from({ length: 33 }, newAddress);
    await Promise.all(emails.map((email) => requestLink(ctx, asked(email, { household }))));
    return (await Promise.all(emails.map((email) => linksOf(ctx, email)))).flat().length;
  };
  t.is(await ask('203.0.113.7'), 30);
  t.is(await ask('203.0.113.8'), 30);
  t.is(await ask(undefined), 33);
});

import test from 'ava';

import { readConfig } from '#src/config.ts';
import { read, transact } from '#src/database/transact.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import { consumeLink } from '#src/domain/sessions/index.ts';
import { hours } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices } from '#src/services.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment, timeouts } from '#test/support/environment.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildRemindedCart, decideAll, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildLink } from '#test/support/factories/sessions.ts';
import { linkIn } from '#test/support/fakes/mailer.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { startWorker } from '#test/support/start-worker.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

test('a worker killed after its emails were accepted repeats the link, unchanged, and not the reminder', async (t) => {
  const [database, redis, mailbox] = await Promise.all([createTestDatabase(), createTestRedis(), startMailbox()]);
  const inbox = mailboxControl(mailbox.url);
  const environment = testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url, SMTP_URL: mailbox.smtpUrl });
  const services = await createServices(readConfig(environment), 'test', { log: silentLog, timeouts });
  t.teardown(async () => {
    await services.close();
    await mailbox.close();
    await database.drop();
  });

  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  const anHourAgo = { ...ctx, clock: { now: () => new Date(Date.now() - hours(1)) } };
  await remindAnytime(ctx);
  const { email: reminded } = await buildRemindedCart(anHourAgo);
  await decideAll(ctx);
  const { email: signingIn } = await buildCustomer(ctx);
  await buildLink(ctx, signingIn);
  const states = async () =>
    new Map(
      (
        await read<{ kind: string; state: string }>(
          ctx,
          sql`
    select kind, state from mails where tenant_id = ${ctx.tenant.id}`,
        )
      ).map(({ kind, state }) => [kind, state]),
    );

  // The mail server accepts both emails, and the process is killed before it gets the response.
  await inbox.fault({ kind: 'slow', ms: 60_000, times: 2 });
  const first = startWorker(t, environment);
  await until(async () => (await inbox.messages()).length === 2, { what: 'both mails to be taken' });
  t.deepEqual([...(await states()).values()], ['sending', 'sending']);
  await first.kill('SIGKILL');

  // Wait out the 45 seconds for which an email of a dead process is not sent again.
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`update mails set leased_until = ${ctx.clock.now()} where tenant_id = ${ctx.tenant.id}`),
  );
  startWorker(t, environment);
  await until(async () => [...(await states()).values()].every((state) => state !== 'sending'), {
    what: 'both mails to be settled',
  });
  t.deepEqual(Object.fromEntries(await states()), { abandoned_cart: 'outcome_unknown', magic_link: 'sent' });
  t.is((await inbox.messages({ to: reminded })).length, 1);

  const [before, again, ...others] = await inbox.messages({ to: signingIn });
  t.is(others.length, 0);
  t.deepEqual(
    [again?.message_id, again?.subject, again?.text, again?.html],
    [before?.message_id, before?.subject, before?.text, before?.html],
  );
  const token = linkIn({ text: again?.text ?? '' }, '/account/sign-in').searchParams.get('token') ?? '';
  t.is((await consumeLink(ctx, { token, codeVerifier: null })).customer.email, signingIn);
});

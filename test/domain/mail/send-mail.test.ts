import anyTest, { type TestFn } from 'ava';

import { sendMail as sendMailJob } from '#jobs/emails.ts';
import { read, transact } from '#src/database/transact.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import { restoreCart } from '#src/domain/cart/index.ts';
import type { Context } from '#src/domain/context.ts';
import { changeRecipient, enqueueMail, failMail, isSuppressed, sendMail } from '#src/domain/mail/index.ts';
import { consumeLink, requestLink } from '#src/domain/sessions/index.ts';
import { deriveCode } from '#src/domain/tenants/index.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { readSender } from '#src/lib/email-address.ts';
import { DomainError, ProviderError, type ProviderFailure, Snooze } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { oneLine } from '#src/lib/one-line.ts';
import { sql } from '#src/lib/sql.ts';
import { createSmtpMailer } from '#src/providers/smtp/smtp-mailer.ts';
import { awkwardNames } from '#test/support/awkward-names.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildMail, newAddress, orderMail, readMail } from '#test/support/factories/mail.ts';
import { buildRemindedCart, decideAll, decisionsOf, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildLink, linkRequest } from '#test/support/factories/sessions.ts';
import { linkIn } from '#test/support/fakes/mailer.ts';
import { jobAttempt } from '#test/support/job-attempts.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { startScriptedSmtpServer } from '#test/support/scripted-smtp-server.ts';
import { sendCheckedMail } from '#workers/processors.ts';

const test = (anyTest as TestFn<TestContext>).serial;
const mailbox = await startMailbox();
const inbox = mailboxControl(mailbox.url);
const mailer = createSmtpMailer(mailbox.smtpUrl);
useContext(anyTest as TestFn<TestContext>, { ports: { mailer } });
test.after.always(async () => {
  mailer.close?.();
  await mailbox.close();
});

const receipt = (to: string) => ({ kind: 'receipt', to, data: orderMail(), subjectId: newId('ord') }) as const;
const restock = (to: string) =>
  ({
    kind: 'restock',
    to,
    subjectId: newId('lead'),
    data: { product_name: 'Oak bowl', variant_name: 'Large', path: '/products/oak-bowl', image_url: null },
  }) as const;

/** As if the process had died while it sent the email, before or after the mail server accepted it. */
async function dieWhileSending(ctx: Context, mailId: string, taken: boolean, send = sendMail): Promise<void> {
  const dying = {
    ...ctx.ports,
    mailer: {
      async send(...given: Parameters<typeof mailer.send>) {
        if (taken) await mailer.send(...given);
        throw new Error('killed');
      },
    },
  };
  await send({ ...ctx, ports: dying }, { mailId }).catch(() => undefined);
}

test('an email is enqueued in the calling transaction and sent once, however often its job runs', async (t) => {
  const { ctx } = t.context;
  const to = newAddress();
  await t.throwsAsync(
    transact(ctx, async (ctx) => {
      enqueueMail(ctx, receipt(to));
      throw new Error('changed our mind');
    }),
  );
  t.deepEqual(await enqueuedJobs(ctx, sendMailJob), []);

  const mailId = await buildMail(ctx, receipt(` ${to.toUpperCase()} `));
  t.deepEqual(await enqueuedJobs(ctx, sendMailJob), [{ mailId, attempt: 1 }]);
  await sendMail(ctx, { mailId });
  await sendMail(ctx, { mailId });

  const [message, ...others] = await inbox.messages({ to });
  t.is(others.length, 0);
  t.like(await readMail(ctx, mailId), {
    state: 'sent',
    attemptCount: 1,
    failure: null,
    messageId: message?.message_id,
  });
  t.regex(message?.message_id ?? '', new RegExp(`^<${mailId}@`));
  t.is(message?.subject, 'Your order ORD-1001');
  t.is(message?.from, `"${ctx.tenant.name}" <hello@storefront.example>`);
  t.is(message?.headers['auto-submitted'], 'auto-generated');
  t.regex(message?.text ?? '', /Total +\$99\.53/);
  t.regex(message?.html ?? '', /Apt 4/);
});

test('attempts at the same time send an email once', async (t) => {
  const { ctx } = t.context;
  for (const build of [receipt, restock]) {
    const to = newAddress();
    const mailId = await buildMail(ctx, build(to));
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => sendMail(ctx, { mailId })));
    for (const attempt of attempts) t.true(attempt.status === 'fulfilled' || attempt.reason instanceof Snooze);
    t.is((await inbox.messages({ to })).length, 1);
    t.like(await readMail(ctx, mailId), { state: 'sent', attemptCount: 1 });
  }
});

test('only the attempt that still holds an email records an outcome and completes its job', async (t) => {
  const { ctx, clock, services } = t.context;
  const to = newAddress();
  const mailId = await buildMail(ctx, receipt(to));
  const job = async () => {
    const [row] = await services.execute<{ id: string; isFinished: boolean }>(sql`
      select id, finished_at is not null as "isFinished" from outbox
      where tenant_id = ${ctx.tenant.id} and payload ->> 'mailId' = ${mailId}`);
    return row ?? { id: '', isFinished: undefined };
  };
  const { id: outboxId } = await job();

  const frozen = {
    ...mailer,
    async send(): ReturnType<typeof mailer.send> {
      clock.pass(seconds(46));
      await dieWhileSending(ctx, mailId, false);
      return { outcome: 'accepted' };
    },
  };
  const attempt = jobAttempt({ outboxId });
  const frozenCtx = { ...ctx, attempt, ports: { ...ctx.ports, mailer: frozen } };
  await t.throwsAsync(sendMail(frozenCtx, { mailId }), { instanceOf: Snooze });
  t.like(await readMail(ctx, mailId), { state: 'sending', attemptCount: 2 });
  t.deepEqual([attempt.isCompleted, (await job()).isFinished], [false, false]);

  clock.pass(seconds(46));
  const next = jobAttempt({ outboxId });
  await sendMail({ ...ctx, attempt: next }, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'sent', attemptCount: 3 });
  t.deepEqual([next.isCompleted, (await job()).isFinished], [true, true]);
});

test('an email whose recipient changes while it is read or sent goes to the new one', async (t) => {
  const { ctx, clock } = t.context;
  for (const moment of ['read', 'accepted', 'deferred', 'bounced'] as const) {
    const [from, to] = [newAddress(), newAddress()];
    const mail = receipt(from);
    const mailId = await buildMail(ctx, mail);
    const change = () => transact(ctx, (ctx) => changeRecipient(ctx, { orderId: mail.subjectId, to }));
    const changing = {
      ...mailer,
      async send(): ReturnType<typeof mailer.send> {
        await change();
        if (moment === 'deferred') throw new ProviderError('smtp', 'busy', moment);
        return moment === 'bounced' ? { outcome: moment, detail: moment } : { outcome: 'accepted' };
      },
    };
    const attempt =
      moment === 'read'
        ? sendMail(ctx, { mailId }, { receipt: async () => void (await change()) })
        : sendMail({ ...ctx, ports: { ...ctx.ports, mailer: changing } }, { mailId });
    await t.throwsAsync(attempt, { instanceOf: Snooze }, moment);
    clock.pass(seconds(46));
    await sendMail(ctx, { mailId });
    t.like(await readMail(ctx, mailId), { state: 'sent' }, moment);
    t.deepEqual([(await inbox.messages({ to: from })).length, (await inbox.messages({ to })).length], [0, 1], moment);
  }
});

test('an email that cannot be rendered stays queued', async (t) => {
  const { ctx } = t.context;
  const mailId = await buildMail(ctx, { ...receipt(newAddress()), data: {} } as never);
  await t.throwsAsync(sendMail(ctx, { mailId }), { instanceOf: TypeError });
  t.like(await readMail(ctx, mailId), { state: 'queued', attemptCount: 0 });
});

test("a store's own sender is used when it is configured", async (t) => {
  const { ctx } = t.context;
  const to = newAddress();
  const mailId = await buildMail(ctx, receipt(to));
  await sendMail(
    { ...ctx, tenant: { ...ctx.tenant, mailFrom: 'Cedar, Clay & Söhne <hello@cedar.example>' } },
    { mailId },
  );
  t.is((await inbox.waitForMessage({ to })).from, 'Cedar, Clay & Söhne <hello@cedar.example>');
});

test('a receipt whose attempt was interrupted is sent again with the same Message-ID and content', async (t) => {
  const { ctx, clock } = t.context;
  clock.stop();
  const to = newAddress();
  const mailId = await buildMail(ctx, receipt(to));
  await dieWhileSending(ctx, mailId, true);
  const again = await t.throwsAsync(sendMail(ctx, { mailId }), { instanceOf: Snooze });
  t.true(again instanceof Snooze && again.milliseconds > seconds(40));
  clock.pass(seconds(46));
  await sendMail(ctx, { mailId });

  const [first, second, ...others] = await inbox.messages({ to });
  t.is(others.length, 0);
  t.is(first?.message_id, second?.message_id);
  t.is(first?.text, second?.text);
  t.is(first?.html, second?.html);
  t.like(await readMail(ctx, mailId), { state: 'sent', attemptCount: 2 });
});

test('an unrequested email is never sent twice', async (t) => {
  const { ctx, clock } = t.context;
  const to = newAddress();
  const mailId = await buildMail(ctx, restock(to));
  await dieWhileSending(ctx, mailId, true);
  clock.pass(seconds(46));
  await sendMail(ctx, { mailId });
  await sendMail(ctx, { mailId });
  t.is((await inbox.messages({ to })).length, 1);
  t.like(await readMail(ctx, mailId), { state: 'outcome_unknown' });

  const cut = newAddress();
  await inbox.fault({ kind: 'cut_after', recipient: cut, times: 1 });
  const other = await buildMail(ctx, restock(cut));
  await sendMail(ctx, { mailId: other });
  t.is((await inbox.messages({ to: cut })).length, 1);
  t.like(await readMail(ctx, other), { state: 'outcome_unknown' });
});

test('a deferred email is sent again, after longer waits each time', async (t) => {
  const { ctx, clock } = t.context;
  clock.stop();
  const to = newAddress();
  await inbox.fault({ kind: 'reject', recipient: to, code: 451, times: 2 });
  const mailId = await buildMail(ctx, restock(to));
  await sendMail(ctx, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'queued', attemptCount: 1, failure: 'The mail server responded 451.' });
  await sendMail(ctx, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'queued', attemptCount: 2 });
  const waitMs = ((await readMail(ctx, mailId))?.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime();
  t.is(waitMs, minutes(2));
  t.deepEqual(
    await enqueuedJobs(ctx, sendMailJob),
    [1, 2, 3].map((attempt) => ({ mailId, attempt })),
  );
  await sendMail(ctx, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'sent', attemptCount: 3 });
  t.is((await inbox.messages({ to })).length, 1);
});

test('a closed store sends no reminder, restock or sign-in link that was due already, and what an order needs', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const [waiting, buyer, { email: customer }] = [newAddress(), newAddress(), await buildCustomer(ctx)];
  const { email: reminded } = await buildRemindedCart(ctx);
  await decideAll(ctx);
  const { email: undecided } = await buildRemindedCart(ctx);
  await buildMail(ctx, restock(waiting));
  await buildMail(ctx, receipt(buyer));
  await buildLink(ctx, customer);

  const closed = { ...ctx, tenant: { ...ctx.tenant, closedAt: ctx.clock.now() } };
  await decideAll(closed);
  for (const { mailId } of await enqueuedJobs(ctx, sendMailJob)) await sendCheckedMail(closed, { mailId });
  const arrived = async (address: string) => (await inbox.messages({ to: address })).length;
  t.deepEqual(await Promise.all([waiting, customer, reminded, undecided, buyer].map(arrived)), [0, 0, 0, 0, 1]);
  t.is((await decisionsOf(ctx, reminded))[0], 'skipped: store_closed');
  t.is((await decisionsOf(ctx, undecided))[0], 'skipped: store_closed');
});

test('an email address that bounced is suppressed', async (t) => {
  const { ctx } = t.context;
  const to = newAddress();
  await inbox.fault({ kind: 'reject', recipient: to, code: 550 });
  const mailId = await buildMail(ctx, receipt(to));
  await sendMail(ctx, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'bounced' });
  t.true(await isSuppressed(ctx, to));

  await inbox.clearFaults();
  const next = await buildMail(ctx, receipt(to));
  await sendMail(ctx, { mailId: next });
  t.like(await readMail(ctx, next), { state: 'suppressed', attemptCount: 0 });
  t.deepEqual(await inbox.messages({ to }), []);
  const otherStore = { ...ctx, tenant: { ...ctx.tenant, id: 'ten_other' } };
  t.false(await isSuppressed(otherStore, to), 'another store is not affected');
});

test('two emails to an address that bounce at once are both closed as bounced', async (t) => {
  const { ctx } = t.context;
  const to = newAddress();
  await inbox.fault({ kind: 'reject', recipient: to, code: 550 });
  const [first, second] = [await buildMail(ctx, receipt(to)), await buildMail(ctx, receipt(to))];
  const meanwhile: typeof mailer = {
    async send(...given) {
      await sendMail(ctx, { mailId: second });
      return mailer.send(...given);
    },
  };
  await sendMail({ ...ctx, ports: { ...ctx.ports, mailer: meanwhile } }, { mailId: first });
  for (const mailId of [first, second]) t.like(await readMail(ctx, mailId), { state: 'bounced' });
  t.true(await isSuppressed(ctx, to));
});

test('an email rejected for another reason fails without suppressing its address', async (t) => {
  const { ctx } = t.context;
  const to = newAddress();
  await inbox.fault({ kind: 'reject', recipient: to, code: 554, at: 'data', text: '5.7.1 This is spam' });
  const mailId = await buildMail(ctx, receipt(to));
  await sendMail(ctx, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'failed' });
  t.false(await isSuppressed(ctx, to));
  t.false((await readMail(ctx, mailId))?.failure?.includes(to));
});

for (const [circumstance, script] of [
  ['is unreachable', undefined],
  ['closes each connection', { greeting: null }],
  ['ends before the content of an email', { DATA: null }],
] as const) {
  test(`emails wait while the mail server ${circumstance}, even those sent at most once`, async (t) => {
    const { ctx } = t.context;
    const server = script && (await startScriptedSmtpServer(script));
    const away = createSmtpMailer(`smtp://${server?.host ?? '127.0.0.1:9'}`);
    const offline = { ...ctx, ports: { ...ctx.ports, mailer: away } };
    t.teardown(() => {
      away.close?.();
      server?.close();
    });
    const to = newAddress();
    const mailId = await buildMail(ctx, restock(to));
    await sendMail(offline, { mailId });
    t.like(await readMail(ctx, mailId), { state: 'queued', attemptCount: 1 });
    await sendMail(ctx, { mailId });
    t.like(await readMail(ctx, mailId), { state: 'sent' });
  });
}

test('emails enqueued during an outage of the mail server arrive afterwards, each once', async (t) => {
  const { ctx, clock, services } = t.context;
  const { email: signingIn } = await buildCustomer(ctx);
  const recipients = [signingIn];
  const enqueueSome = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const to = newAddress();
      recipients.push(to);
      await buildMail(ctx, index % 2 ? receipt(to) : restock(to));
    }
  };
  await inbox.setDown(true);
  await enqueueSome(12);
  await requestLink(ctx, linkRequest(signingIn));
  await runJobs(services);
  clock.pass(minutes(1));
  await enqueueSome(12);
  await runJobs(services);
  clock.pass(minutes(2.5));
  await inbox.setDown(false);
  for (const _ of [1, 2]) {
    await runJobs(services);
    clock.pass(minutes(2.5));
  }
  for (const to of recipients) t.is((await inbox.messages({ to })).length, 1, to);
});

test('a one-time code is in the email, not in its row, the same at every attempt, and not sent late', async (t) => {
  const { ctx, clock } = t.context;
  const to = newAddress();
  const subjectId = newId('rot');
  const mail = {
    kind: 'one_time_password',
    to,
    subjectId,
    data: { purpose: 'secret_rotation', action: 'rotate your signing secret', valid_minutes: 10 },
  } as const;
  const mailId = await buildMail(ctx, mail);
  await sendMail(ctx, { mailId });
  const code = await deriveCode(ctx, 'secret_rotation', subjectId);
  t.regex(code, /^\d{6}$/);
  t.not(code, await deriveCode(ctx, 'secret_rotation', newId('rot')));
  const { text, html, subject } = await inbox.waitForMessage({ to });
  t.true(text?.includes(code) && html?.includes(code) && !subject.includes(code));
  const {
    rows: [row],
  } = await ctx.database.pool.query(
    `select m.* from set_config('app.tenant_id', $1, true) s(id),
      lateral (select mails::text as row from mails where tenant_id = s.id and mails.id = $2 offset 0) m`,
    [ctx.tenant.id, mailId],
  );
  t.false(row.row.includes(code));

  const late = await buildMail(ctx, mail);
  clock.pass(minutes(11));
  await sendMail(ctx, { mailId: late });
  t.like(await readMail(ctx, late), { state: 'failed' });
  t.is((await inbox.messages({ to })).length, 1);
});

test("sendMail sends a store's emails under its name, whatever characters it has", async (t) => {
  const { ctx } = t.context;
  for (const name of awkwardNames) {
    for (const tenant of [
      { ...ctx.tenant, name },
      { ...ctx.tenant, name, mailFrom: `${JSON.stringify(name)} <hello@cedar.example>` },
    ]) {
      const to = newAddress();
      await sendMail({ ...ctx, tenant }, { mailId: await buildMail(ctx, restock(to)) });
      const { from } = await inbox.waitForMessage({ to });
      const address = tenant.mailFrom ? 'hello@cedar.example' : 'hello@storefront.example';
      t.is(readSender(from).address, address, name);
      if (!tenant.mailFrom) t.is(readSender(from).name, oneLine(name), name);
    }
  }
});

test('an email address that hides a second one or a header is rejected', async (t) => {
  const { ctx } = t.context;
  for (const to of [
    'a@b.example\r\nBcc: evil@x.example',
    'a@b.example, evil@x.example',
    'a@b.example;evil@x.example',
    '<a@b.example>',
    'a b@c.example',
    'a@b@c.example',
    '"a@b"@c.example',
    'a@b.example\u0000',
    'nobody',
    '',
    `${'a'.repeat(65)}@b.example`,
  ]) {
    await t.throwsAsync(
      buildMail(ctx, receipt(to)),
      { instanceOf: DomainError, code: 'invalid_request' },
      JSON.stringify(to),
    );
    const outgoing = {
      messageId: '<1@x>',
      from: { name: '', address: 'a@b.example' },
      to,
      subject: 's',
      text: 't',
      html: 'h',
      headers: {},
    };
    await t.throwsAsync(
      mailer.send(outgoing),
      { instanceOf: ProviderError, message: /plain email address/ },
      JSON.stringify(to),
    );
  }
  const subject = 'Hello\r\nBcc: evil@x.example';
  const to = newAddress();
  await mailer.send({
    messageId: '<2@x>',
    from: { name: '', address: 'a@b.example' },
    to,
    subject,
    text: 't',
    html: 'h',
    headers: {},
  });
  t.deepEqual((await inbox.waitForMessage({ to })).to, [to]);
  t.deepEqual(await inbox.messages({ to: 'evil@x.example' }), []);
});

test('an email whose job is exhausted is closed as failed', async (t) => {
  const { ctx } = t.context;
  const mailId = await buildMail(ctx, receipt(newAddress()));
  await failMail(ctx, { mailId });
  await failMail(ctx, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'failed' });
  await sendMail(ctx, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'sent' }, 'somebody pressed Retry');
  await failMail(ctx, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'sent' });
});

for (const [build, { sending, ...states }] of [
  [receipt, { sending: 'failed', away: 'queued', busy: 'queued', denied: 'queued', refused: 'failed' }],
  [
    restock,
    { sending: 'outcome_unknown', away: 'outcome_unknown', busy: 'queued', denied: 'queued', refused: 'failed' },
  ],
] as const) {
  const { kind } = build('');

  test(`of a ${kind} it is recorded whether it may have been sent, however its attempt failed`, async (t) => {
    const { ctx } = t.context;
    for (const [failure, state] of Object.entries(states)) {
      const send = () => Promise.reject(new ProviderError('smtp', failure as ProviderFailure, 'Not now.'));
      const mailId = await buildMail(ctx, build(newAddress()));
      await sendMail({ ...ctx, ports: { ...ctx.ports, mailer: { send } } }, { mailId });
      t.like(await readMail(ctx, mailId), { state }, failure);
    }
    for (const [dies, state] of [
      [true, sending],
      [false, 'failed'],
    ] as const) {
      const mailId = await buildMail(ctx, build(newAddress()));
      if (dies) await dieWhileSending(ctx, mailId, false);
      await failMail(ctx, { mailId });
      t.like(await readMail(ctx, mailId), { state });
    }
  });
}

const later = (ctx: Context, milliseconds: number): Context => {
  const now = new Date(ctx.clock.now().getTime() + milliseconds);
  return { ...ctx, clock: { now: () => now } };
};

async function mailTo(ctx: Context, email: string): Promise<string> {
  const [mail] = await read<{ id: string }>(
    ctx,
    sql`select id from mails where tenant_id = ${ctx.tenant.id} and recipient = ${email}`,
  );
  return mail?.id ?? '';
}

/** A reminder that was decided on an hour after its cart was saved, and not sent yet. */
async function decidedReminder(ctx: Context): Promise<{ email: string; mailId: string; cartId: string }> {
  await remindAnytime(ctx);
  const { email, cart } = await buildRemindedCart(later(ctx, -hours(1)));
  await decideAll(ctx);
  return { email, mailId: await mailTo(ctx, email), cartId: cart.id };
}

test('a reminder goes over the wire with both ways to unsubscribe by one click, each on one line', async (t) => {
  const { ctx } = t.context;
  const { email, mailId, cartId } = await decidedReminder(ctx);
  await sendCheckedMail(ctx, { mailId });
  const message = await inbox.waitForMessage({ to: email });
  const source = await inbox.source(message.id);
  const url = `${ctx.settings.publicUrl}/api/v1/cart/unsubscribe\\?token=[0-9a-z]{26}[\\w-]{43}`;
  t.regex(source, new RegExp(`^List-Unsubscribe: <${url}>\\r?$`, 'm'));
  t.regex(source, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
  t.is(source.match(/^List-Unsubscribe/gm)?.length, 2);
  t.regex(message.html ?? '', />Unsubscribe<\/a>/);
  t.regex(message.text ?? '', /\nUnsubscribe: http/);
  const token = linkIn({ text: message.text ?? '' }, '/cart/restore').searchParams.get('token') ?? '';
  t.is((await restoreCart(ctx, token)).id, cartId);
});

test('during an outage of the mail server no reminder is lost or sent twice', async (t) => {
  const { ctx, clock } = t.context;
  const { email, mailId } = await decidedReminder(ctx);
  await inbox.setDown(true);
  await sendCheckedMail(ctx, { mailId });
  clock.pass(minutes(1));
  await sendCheckedMail(ctx, { mailId });
  t.like(await readMail(ctx, mailId), { state: 'queued', attemptCount: 2 });
  await inbox.setDown(false);
  clock.pass(minutes(3));
  for (const _ of [1, 2]) await sendCheckedMail(ctx, { mailId });
  t.is((await inbox.messages({ to: email })).length, 1);
  t.is((await decisionsOf(ctx, email))[0], 'sent');
});

test('a reminder whose process died after the mail server accepted it is not sent again', async (t) => {
  const { ctx, clock } = t.context;
  const { email, mailId } = await decidedReminder(ctx);
  await dieWhileSending(ctx, mailId, true, sendCheckedMail);
  clock.pass(seconds(46));
  for (const _ of [1, 2]) await sendCheckedMail(ctx, { mailId });
  t.is((await inbox.messages({ to: email })).length, 1);
  t.like(await readMail(ctx, mailId), { state: 'outcome_unknown' });
});

test('a sign-in link whose process died is sent again unchanged and works once', async (t) => {
  const { ctx, clock } = t.context;
  const { email } = await buildCustomer(ctx);
  await buildLink(ctx, email, { redirectPath: '/account/orders?tab=open' });
  const mailId = await mailTo(ctx, email);
  await dieWhileSending(ctx, mailId, true, sendCheckedMail);
  clock.pass(seconds(46));
  for (const _ of [1, 2]) await sendCheckedMail(ctx, { mailId });

  const [first, second, ...others] = await inbox.messages({ to: email });
  t.is(others.length, 0);
  t.deepEqual([second?.message_id, second?.text, second?.html], [first?.message_id, first?.text, first?.html]);
  const link = linkIn({ text: second?.text ?? '' }, '/account/sign-in');
  t.is(link.searchParams.get('redirect_path'), '/account/orders?tab=open');
  const token = link.searchParams.get('token') ?? '';
  t.is((await consumeLink(ctx, { token, codeVerifier: null })).customer.email, email);
  await t.throwsAsync(consumeLink(ctx, { token, codeVerifier: null }), { code: 'invalid_or_expired_token' });
});

test('a sign-in link that could not be sent in time is not sent at all', async (t) => {
  const { ctx, clock } = t.context;
  const { email } = await buildCustomer(ctx);
  await buildLink(ctx, email);
  const mailId = await mailTo(ctx, email);
  clock.pass(minutes(16));
  await sendCheckedMail(ctx, { mailId });
  t.deepEqual(await inbox.messages({ to: email }), []);
  t.like(await readMail(ctx, mailId), { state: 'failed' });
});

import anyTest, { type TestFn } from 'ava';
import { read } from '#src/database/transact.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import { restoreCart } from '#src/domain/cart/index.ts';
import type { Context } from '#src/domain/context.ts';
import { sendCheckedMail } from '#src/domain/reminders/index.ts';
import { consumeLink } from '#src/domain/sessions/index.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { createSmtpMailer } from '#src/providers/smtp/smtp-mailer.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { readMail } from '#test/support/factories/mail.ts';
import { buildRemindedCart, decideAll, decisionsOf, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildLink } from '#test/support/factories/sessions.ts';
import { linkIn } from '#test/support/fakes/mailer.ts';

const test = (anyTest as TestFn<TestContext>).serial;
const mailbox = await startMailbox();
const inbox = mailboxControl(mailbox.url);
const mailer = createSmtpMailer(mailbox.smtpUrl);
useContext(anyTest as TestFn<TestContext>, { ports: { mailer } });
test.after.always(async () => {
  mailer.close?.();
  await mailbox.close();
});

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

/** The process dies between the mail server's acceptance and the commit. */
async function dieOnceTaken(ctx: Context, mailId: string): Promise<void> {
  const dying: typeof mailer = {
    async send(...given) {
      await mailer.send(...given);
      throw new Error('killed');
    },
  };
  await sendCheckedMail({ ...ctx, ports: { ...ctx.ports, mailer: dying } }, { mailId }).catch(() => undefined);
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
  await dieOnceTaken(ctx, mailId);
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
  await dieOnceTaken(ctx, mailId);
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

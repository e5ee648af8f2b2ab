import { sendMail as sendMailJob } from '#jobs/emails.ts';
import { lockRow, readRow, saveRow } from '#src/database/rows.ts';
import { completeJob, completeJobIf, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { readSender, type Sender } from '#src/lib/email-address.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { oneLine } from '#src/lib/one-line.ts';
import { signalWithin } from '#src/lib/signal-within.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import type { OutgoingMail } from '../ports/mailer.ts';
import { type MailKind, mailKinds } from './kinds.ts';
import { Mail } from './mail.ts';
import { renderEmail } from './render-email.ts';
import { hasBounced, suppress } from './suppression.ts';
import { isReplaced } from './unsent-mail.ts';

/** The waits after deferred attempts: minutes for greylisting, hours for an outage. */
const waitsMs = [seconds(40), minutes(2), minutes(10), minutes(30), hours(1), hours(3), hours(6), hours(12)];

const sendTimeoutMs = seconds(30);
/** Outlives the longest call: after an expired lease, no call of its holder is in flight any more. */
const leaseMs = sendTimeoutMs + seconds(15);

/** The outcome of an attempt: `unknown` when the mail server may have accepted the email without our knowing. */
type SendResult = {
  readonly outcome: 'accepted' | 'bounced' | 'rejected' | 'deferred' | 'unknown';
  readonly detail: string;
};

/**
 * Checks whether an email should still be sent, in the transaction that starts each attempt: it may have been enqueued
 * hours ago, before an outage of the mail server.
 * @returns why not, or `undefined`
 */
export type DeliveryCheck = (
  ctx: InTransaction,
  mail: { readonly mailId: string; readonly subjectId: string },
) => Promise<string | undefined>;

export type DeliveryChecks = Readonly<Partial<Record<MailKind, DeliveryCheck>>>;

/**
 * Send one email. Its row says `sending` before the mail server is called, so that an attempt which finds it so after a
 * crash knows that it may have been sent. Unrequested email is then closed as `outcome_unknown`; everything else is
 * sent again with the same Message-ID and content.
 *
 * @throws Snooze while another attempt may still be sending it
 */
export async function sendMail(
  ctx: Context,
  { mailId }: { mailId: string },
  checks: DeliveryChecks = {},
): Promise<void> {
  const found = await readRow<Mail, { isSuppressed: boolean; isReplaced: boolean }>(
    ctx,
    Mail,
    mailId,
    sql`${hasBounced(ctx, sql`recipient`)} as "isSuppressed", ${isReplaced} as "isReplaced"`,
  );
  if (!found || found.isReplaced || !['queued', 'sending', 'failed'].includes(found.entity.state)) return;
  const { entity: mail } = found;
  const check = checks[mail.kind];
  const outgoing = check
    ? await transact(ctx, (ctx) => startAttempt(ctx, found, () => check(ctx, { mailId, subjectId: mail.subjectId })))
    : await startAttempt(ctx, found);
  if (outgoing) await recordOutcome(ctx, mail, await callMailServer(ctx, outgoing));
}

/** Close an email whose job has used up its attempts. */
export async function failMail(ctx: Context, { mailId }: { mailId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const mail = await lockRow(ctx, Mail, mailId);
    if (mail?.state !== 'queued' && mail?.state !== 'sending') return;
    const mayHaveGone = mail.state === 'sending' && mailKinds[mail.kind].delivery === 'at_most_once';
    mail.close(
      mayHaveGone ? 'outcome_unknown' : 'failed',
      ctx.clock.now(),
      'All attempts of its job ended without an outcome.',
    );
  });
}

/** Mark the email as `sending` and render it. @returns `undefined` when it is not to be sent */
async function startAttempt(
  ctx: Context,
  { entity: mail, isSuppressed }: { readonly entity: Mail; readonly isSuppressed: boolean },
  check?: () => ReturnType<DeliveryCheck>,
): Promise<OutgoingMail | undefined> {
  const { delivery, staleAfterMs = Infinity, onlyWhileOpen } = mailKinds[mail.kind];
  const now = ctx.clock.now();

  const busyMs = (mail.leasedUntil?.getTime() ?? 0) - now.getTime();
  if (busyMs > 0) throw new Snooze(busyMs, 'another attempt may still be sending this email');

  let outgoing: OutgoingMail | undefined;
  if (mail.state === 'sending' && delivery === 'at_most_once') {
    mail.close('outcome_unknown', now, 'The process that sent it died before it got the response.');
  } else if (now.getTime() - mail.createdAt.getTime() > staleAfterMs) {
    mail.close('failed', now, 'It became too old to be of use.');
  } else if (isSuppressed) {
    mail.close('suppressed', now);
  } else {
    const reason = (await check?.()) ?? (onlyWhileOpen && ctx.tenant.closedAt ? 'The store is closed.' : undefined);
    if (reason === undefined) {
      const email = await renderEmail(ctx, mail.kind, mail);
      mail.start(newId('job'), fromNow(ctx.clock, leaseMs), now);
      outgoing = { ...email, messageId: mail.messageId, from: senderOf(ctx), to: mail.recipient };
    } else {
      mail.close('suppressed', now, reason);
    }
  }
  await save(ctx, mail);
  return outgoing;
}

async function callMailServer(ctx: Context, outgoing: OutgoingMail): Promise<SendResult> {
  try {
    const result = await ctx.ports.mailer.send(outgoing, signalWithin(sendTimeoutMs, ctx.signal));
    return result.outcome === 'accepted' ? { outcome: 'accepted', detail: '' } : result;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { outcome: outcomeOf(error), detail: error.message };
  }
}

/** Emails wait while our credentials or the sender are wrong, as an operator or the owner can fix that. */
function outcomeOf({ failure }: ProviderError): SendResult['outcome'] {
  if (failure === 'away') return 'unknown';
  return failure === 'busy' || failure === 'denied' ? 'deferred' : 'rejected';
}

async function recordOutcome(ctx: Context, mail: Mail, { outcome, detail }: SendResult): Promise<void> {
  const now = ctx.clock.now();
  const waitMs = waitsMs[mail.attemptCount - 1];
  if (outcome === 'accepted') mail.close('sent', now);
  else if (outcome === 'bounced') mail.close('bounced', now, detail);
  else if (outcome === 'unknown' && mailKinds[mail.kind].delivery === 'at_most_once')
    mail.close('outcome_unknown', now, detail);
  else if (outcome === 'rejected' || waitMs === undefined) mail.close('failed', now, detail);
  else mail.postpone(fromNow(ctx.clock, waitMs), detail, now);

  const { id: mailId, state, nextAttemptAt: dueAt } = mail;
  if (state !== 'bounced' && !dueAt) return save(ctx, mail, completeJobIf);
  await completeJob(ctx, async (ctx) => {
    await save(ctx, mail);
    if (state === 'bounced') await suppress(ctx, mail.recipient, 'bounced');
    if (dueAt) enqueue(ctx, sendMailJob, { mailId, attempt: mail.attemptCount + 1 }, { dueAt });
  });
}

/** Write an email. @throws Snooze when another attempt took or closed it since it was read, or its recipient changed */
async function save(ctx: Context, mail: Mail, execute?: typeof completeJobIf): Promise<void> {
  const isSaved = await saveRow(ctx, mail, ['state', 'attemptCount', 'lease', 'recipient'], { execute });
  if (!isSaved) throw new Snooze(seconds(1), 'another attempt took the email over, or its recipient changed');
}

/** The sender that the store has configured, else the installation's address under the store's name. */
function senderOf({ tenant, settings }: Context): Sender {
  if (tenant.mailFrom) return readSender(tenant.mailFrom);
  return { name: oneLine(tenant.name), address: readSender(settings.mailFrom).address };
}

import { sendMail } from '#jobs/emails.ts';
import { isEmailAddress, normaliseEmail } from '#src/lib/email-address.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import type { MailData, MailKind } from './kinds.ts';

/** An email to send. `subjectId` is what it is about, and what its token or code is derived from. */
export interface MailRequest<Kind extends MailKind> {
  readonly kind: Kind;
  readonly to: string;
  /** Stored unencrypted: no secrets. */
  readonly data: MailData[Kind];
  readonly subjectId: string;
}

/**
 * Store an email and enqueue the job that sends it, with the commit of the caller's transaction, which does not see it.
 * @returns the email's id
 * @throws DomainError `invalid_request` when `to` is not one email address
 */
export function enqueueMail<Kind extends MailKind>(ctx: InTransaction, mail: MailRequest<Kind>): string {
  const recipient = normaliseEmail(mail.to);
  if (!isEmailAddress(recipient)) throw invalidRequest('This is not an email address.');

  const id = newId('mail');
  const now = ctx.clock.now();
  ctx.tx.changes.push(sql`
    insert into mails (tenant_id, id, kind, recipient, data, subject_id, message_id, state, next_attempt_at, created_at,
      updated_at)
    values (${ctx.tenant.id}, ${id}, ${mail.kind}, ${recipient}, ${JSON.stringify(mail.data)}::jsonb, ${mail.subjectId},
      ${`<${id}@${new URL(ctx.settings.publicUrl).hostname}>`}, 'queued', ${now}, ${now}, ${now})`);
  enqueue(ctx, sendMail, { mailId: id, attempt: 1 });
  return id;
}

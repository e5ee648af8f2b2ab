import { defineEntity, p } from '@mikro-orm/core';

import { follow, type StateTable } from '#src/lib/state-table.ts';
import type { MailData, MailKind } from './kinds.ts';

export const mailStates = ['queued', 'sending', 'sent', 'bounced', 'suppressed', 'outcome_unknown', 'failed'] as const;
type MailState = (typeof mailStates)[number];

/** A `failed` email can be sent after all: an operator may retry it, or its job on the board. */
const table: StateTable<MailState> = {
  queued: ['sending', 'suppressed', 'failed'],
  sending: ['queued', 'sent', 'bounced', 'suppressed', 'outcome_unknown', 'failed'],
  sent: [],
  bounced: [],
  suppressed: [],
  outcome_unknown: [],
  failed: ['queued', 'sending', 'suppressed'],
};

const MailSchema = defineEntity({
  name: 'Mail',
  tableName: 'mails',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    kind: p.string().$type<MailKind>(),
    recipient: p.string(),
    data: p.json<MailData[MailKind]>(),
    subjectId: p.string(),
    messageId: p.string(),
    state: p.enum(mailStates),
    attemptCount: p.integer(),
    nextAttemptAt: p.datetime().nullable(),
    lease: p.string().nullable(),
    leasedUntil: p.datetime().nullable(),
    failure: p.string().nullable(),
    sentAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** One email. While it is `sending`, its lease names the job attempt that may record the outcome. */
export class Mail extends MailSchema.class {
  /** A job attempt is about to call the mail server. */
  start(lease: string, until: Date, now: Date): void {
    this.moveTo('sending', now);
    this.attemptCount += 1;
    this.lease = lease;
    this.leasedUntil = until;
    this.nextAttemptAt = null;
  }

  /** This attempt certainly did not send it: there will be another one. */
  postpone(dueAt: Date, failure: string, now: Date): void {
    this.moveTo('queued', now);
    this.nextAttemptAt = dueAt;
    this.failure = failure;
  }

  /** An operator has it sent after all. It counts as an attempt, because jobs are told apart by their number. */
  retry(now: Date): void {
    this.moveTo('queued', now);
    this.attemptCount += 1;
    this.nextAttemptAt = now;
    this.failure = null;
  }

  close(state: Exclude<MailState, 'queued' | 'sending'>, now: Date, failure: string | null = null): void {
    this.moveTo(state, now);
    this.nextAttemptAt = null;
    this.failure = failure;
    if (state === 'sent') this.sentAt = now;
  }

  private moveTo(state: MailState, now: Date): void {
    this.state = follow(table, this.state, state);
    this.lease = null;
    this.leasedUntil = null;
    this.updatedAt = now;
  }
}

MailSchema.setClass(Mail);

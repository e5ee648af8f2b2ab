import type { Mailer, OutgoingMail } from '#src/domain/ports/mailer.ts';

export interface FakeMailer extends Mailer {
  /** Every email that was accepted, in order. */
  readonly sent: OutgoingMail[];
  /** The emails to this address, in order. */
  to(address: string): OutgoingMail[];
}

/** A mail server in memory that accepts everything. */
export function fakeMailer(): FakeMailer {
  const sent: OutgoingMail[] = [];
  return {
    sent,
    to: (address) => sent.filter((mail) => mail.to === address),
    async send(mail) {
      sent.push(mail);
      return { outcome: 'accepted' };
    },
  };
}

/** The first link in an email to a page of this path. */
export function linkIn({ text }: Pick<OutgoingMail, 'text'>, path: string): URL {
  const link = text.split(/\s+/).find((word) => URL.canParse(word) && new URL(word).pathname === path);
  if (!link) throw new Error(`There is no link to ${path} in the mail.`);
  return new URL(link);
}

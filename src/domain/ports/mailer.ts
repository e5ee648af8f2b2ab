import type { Sender } from '#src/lib/email-address.ts';

/** One email, ready to send. `messageId` is the same for every attempt. */
export interface OutgoingMail {
  readonly messageId: string;
  readonly from: Sender;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The mail server's response: it has accepted the email, or there is no such mailbox. */
export type MailOutcome = { readonly outcome: 'accepted' } | { readonly outcome: 'bounced'; readonly detail: string };

export interface Mailer {
  /**
   * @throws ProviderError `busy` or `denied` when the email was certainly not accepted but may be later, `refused` when
   *   it never will be, and `away` when it is unknown whether it was accepted
   */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<MailOutcome>;
  /** Check the connection and the credentials. @throws ProviderError as `send` does */
  check?(): Promise<void>;
  /** Close the connections. */
  close?(): void;
}

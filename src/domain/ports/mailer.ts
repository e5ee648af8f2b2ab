import type { Sender } from '#src/lib/email-address.ts';

/** One mail, ready to send. `messageId` stays the same over tries. */
export interface OutgoingMail {
  readonly messageId: string;
  readonly from: Sender;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the mail server said: it has the mail, or will never take one for this address. */
export type MailOutcome = { readonly outcome: 'accepted' } | { readonly outcome: 'bounced'; readonly detail: string };

export interface Mailer {
  /**
   * Throws ProviderError: `busy` and `denied` when the mail was certainly not taken and may be later, `refused` when it
   * never will be, and `away` when nobody knows whether it was taken.
   */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<MailOutcome>;
  /** Whether the server takes us: throws ProviderError as `send` does. */
  check?(): Promise<void>;
  /** Let go of the connections. */
  close?(): void;
}

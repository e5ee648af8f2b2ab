import { createTransport } from 'nodemailer';

import type { Mailer, OutgoingMail } from '#src/domain/ports/mailer.ts';
import { seconds } from '#src/lib/duration.ts';
import { judge } from './judge.ts';
import { parseRecipient, parseSender } from './parse-address.ts';

/**
 * Mail over SMTP, on a few connections that are kept open. `SMTP_URL` may carry user and password; `smtps:` is TLS
 * from the start, `smtp:` upgrades where the server offers it.
 */
export function createSmtpMailer(url: string): Mailer {
  const transport = createTransport({
    pool: true,
    url,
    maxConnections: 5,
    maxMessages: 100,
    dnsTimeout: seconds(5),
    connectionTimeout: seconds(10),
    greetingTimeout: seconds(10),
    socketTimeout: seconds(25),
    // A mail is text of ours: nothing in it may name a file or an address to be read into it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    async send(mail, signal) {
      const message = compose(mail);
      try {
        await transport.sendMail({ ...message, ...(signal && { signal }) });
        return { outcome: 'accepted' };
      } catch (error) {
        return judge(error);
      }
    },
    close: () => transport.close(),
  };
}

function compose(mail: OutgoingMail) {
  const to = parseRecipient(mail.to);
  const from = parseSender(mail.from);
  const { messageId, subject, text, html, headers } = mail;
  // The envelope is said explicitly, so that no header is ever read for recipients.
  return { envelope: { from: from.address, to: [to] }, from, to: { name: '', address: to }, messageId, subject, text, html, headers: { ...headers } };
}

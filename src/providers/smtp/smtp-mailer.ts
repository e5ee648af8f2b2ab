import { createTransport } from 'nodemailer';
import type { Mailer, OutgoingMail } from '#src/domain/ports/mailer.ts';
import { seconds } from '#src/lib/duration.ts';
import { isEmailAddress } from '#src/lib/email-address.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { inCall } from '#src/lib/tracing.ts';
import { classifyError } from './classify-error.ts';

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
        await inCall('smtp', 'send', () => transport.sendMail({ ...message, ...(signal && { signal }) }));
        return { outcome: 'accepted' };
      } catch (error) {
        return classifyError(error);
      }
    },
    async check() {
      try {
        await transport.verify();
      } catch (error) {
        classifyError(error);
      }
    },
    close: () => transport.close(),
  };
}

function compose(mail: OutgoingMail) {
  const { from, to, messageId, subject, text, html, headers } = mail;
  rejectUnlessPlain('recipient', to);
  rejectUnlessPlain('sender', from.address);
  // The envelope is said explicitly, so that no header is ever read for recipients.
  const envelope = { from: from.address, to: [to] };
  return {
    envelope,
    from: { ...from },
    to: { name: '', address: to },
    messageId,
    subject,
    text,
    html,
    headers: onOneLine(headers),
  };
}

function rejectUnlessPlain(who: string, address: string): void {
  if (!isEmailAddress(address)) throw new ProviderError('smtp', 'refused', `The ${who} is not one plain mail address.`);
}

/**
 * Each header on a line of its own, however long: folded ones are valid, but not every mail program finds the address
 * in a List-Unsubscribe that is.
 */
function onOneLine(headers: OutgoingMail['headers']): Record<string, { prepared: true; value: string }> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!/^[\x20-\x7e]{1,900}$/.test(value)) {
        throw new ProviderError('smtp', 'refused', `The header ${name} is not one line of ASCII.`);
      }
      return [name, { prepared: true, value }];
    }),
  );
}

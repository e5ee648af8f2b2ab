import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { Mailer, MailOutcome, OutgoingMail } from '#src/domain/ports/mailer.ts';
import { seconds } from '#src/lib/duration.ts';
import { isEmailAddress } from '#src/lib/email-address.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { type Log, silentLog } from '#src/lib/log.ts';
import { inCall } from '#src/lib/tracing.ts';
import { classifyError } from './classify-error.ts';

/** What an attempt to send says of the mail server: `unavailable` where it may take the same email later. */
export type MailAttempt = MailOutcome['outcome'] | 'refused' | 'unavailable';

export interface SmtpOptions {
  readonly log?: Log;
  readonly countAttempt?: (attempt: MailAttempt) => void;
}

/**
 * Send email over SMTP with a small connection pool. `SMTP_URL` may contain user and password; `smtps:` is TLS from the
 * start, `smtp:` upgrades when the server offers it.
 */
export function createSmtpMailer(
  url: string,
  { log = silentLog, countAttempt = () => undefined }: SmtpOptions = {},
): Mailer {
  const transport = createTransport({
    pool: true,
    url,
    maxConnections: 5,
    maxMessages: 100,
    dnsTimeout: seconds(5),
    connectionTimeout: seconds(10),
    greetingTimeout: seconds(10),
    socketTimeout: seconds(25),
    // Emails never include files or remote content, so an injected path or URL must not be read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  transport.use('stream', ({ data, message }, done) => {
    message.processFunc((content) => {
      (data as Sending).sending.content = content;
      return content;
    });
    done();
  });

  async function deliver(message: ReturnType<typeof compose>, signal?: AbortSignal): Promise<MailOutcome> {
    const { sending }: Sending = { sending: {} };
    try {
      await transport.sendMail({ ...message, ...{ sending }, ...(signal && { signal }) });
      return { outcome: 'accepted' };
    } catch (error) {
      return classifyError(error, { isBegun: sending.content?.readableDidRead === true });
    }
  }

  return {
    async send(mail, signal) {
      const message = compose(mail);
      const startedAt = performance.now();
      const finish = (outcome: string, attempt: MailAttempt) => {
        const ms = Math.round(performance.now() - startedAt);
        log.info({ provider: 'smtp', operation: 'send', outcome, ms }, 'provider call');
        countAttempt(attempt);
      };
      try {
        const result = await inCall('smtp', 'send', () => deliver(message, signal));
        finish(result.outcome, result.outcome);
        return result;
      } catch (error) {
        if (error instanceof ProviderError)
          finish(error.failure, error.failure === 'refused' ? 'refused' : 'unavailable');
        throw error;
      }
    },
    async check() {
      try {
        await transport.verify();
      } catch (error) {
        classifyError(error, { isBegun: false });
      }
    },
    close: () => transport.close(),
  };
}

/** The content of an email, which is read only after the server has asked for it. */
interface Sending {
  readonly sending: { content?: Readable };
}

function compose(mail: OutgoingMail) {
  const { from, to, messageId, subject, text, html, headers } = mail;
  rejectUnlessPlain('recipient', to);
  rejectUnlessPlain('sender', from.address);
  // The envelope is explicit, so that recipients are never taken from headers.
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
  if (!isEmailAddress(address))
    throw new ProviderError('smtp', 'refused', `The ${who} is not one plain email address.`);
}

/**
 * Each header on one line, however long. Folding is valid, but not every mail program finds the URL in a folded
 * List-Unsubscribe header.
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

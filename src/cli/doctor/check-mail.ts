import type { PlatformContext } from '#src/domain/context.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Whether the mail server takes us. No mail is sent. */
export async function checkMail({ ports: { mailer } }: PlatformContext): Promise<Finding[]> {
  try {
    await mailer.check?.();
    return [ok('mail server', 'The connection and the login work.')];
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const advice =
      error.failure === 'denied'
        ? 'Correct the user and password in SMTP_URL.'
        : 'Check that the server of SMTP_URL runs, has a valid certificate and accepts connections from this machine. Emails wait meanwhile.';
    return [fault('mail server', error.message, advice)];
  }
}

import type { PlatformContext } from '#src/domain/context.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Whether the mail server takes us. No mail is sent. */
export async function checkMail({ ports: { mailer } }: PlatformContext): Promise<Finding[]> {
  try {
    await mailer.check?.();
    return [ok('mail server', 'It takes us.')];
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const advice =
      error.failure === 'denied'
        ? 'Put the right user and password into SMTP_URL.'
        : 'See whether the server of SMTP_URL runs and lets this machine in. Mails wait meanwhile.';
    return [fault('mail server', error.message, advice)];
  }
}

import { describeOpenPayments } from '#src/domain/backoffice/index.ts';
import { checkDuration } from '#src/domain/checks.ts';
import { liveWebhookSecrets, PaymentAccountInput, savePaymentAccount } from '#src/domain/payments/index.ts';
import { noteAnotherAccount } from './note-another-account.ts';
import { one } from './section.ts';

/** The store's account at the payment provider. Missing fields are reported, not rejected: they may be set later. */
export const paymentsSection = one({
  name: 'payments',
  kind: 'payments',
  schema: PaymentAccountInput,
  check: (account, settings) => checkDuration('/session_lifetime', account.session_lifetime, ['35m', '23h'], settings),
  async save(run, account) {
    const { ctx, note } = run;
    const change = await savePaymentAccount(ctx, account);
    if (account.mode === 'connect')
      note('Payments are in connect mode: checkout returns 503 until they are in direct mode.');
    else if (!account.secret_key) note('Payments have no secret_key: checkout returns 503 until it is set.');
    else if (!account.webhook_secret && (await liveWebhookSecrets(ctx, { fresh: true })).length === 0) {
      note(
        'Payments have no webhook_secret, so events are only found by polling: ' +
          `run "webhooks:register ${ctx.tenant.slug}".`,
      );
    }
    await noteAnotherAccount(run, change, 'secret_key', describeOpenPayments);
    return change;
  },
});

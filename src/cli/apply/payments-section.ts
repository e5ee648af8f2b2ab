import { describeOpenPayments, readOpenBusiness } from '#src/domain/backoffice/index.ts';
import { checkDuration } from '#src/domain/checks.ts';
import { liveWebhookSecrets, PaymentAccountInput, savePaymentAccount } from '#src/domain/payments/index.ts';
import { one } from './section.ts';

/** The store's account at the payment provider. Missing fields are reported, not rejected: they may be set later. */
export const paymentsSection = one({
  name: 'payments',
  kind: 'payments',
  schema: PaymentAccountInput,
  check: (account, settings) => checkDuration('/session_lifetime', account.session_lifetime, ['35m', '23h'], settings),
  async save({ ctx, note }, account) {
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
    if (change.action === 'updated' && change.fields.includes('secret_key')) {
      const open = describeOpenPayments(await readOpenBusiness(ctx));
      if (open.length > 0)
        note(
          'If the new secret_key of payments is of another Stripe account, this store no longer learns what becomes of ' +
            `${open.join(', ')}.`,
        );
    }
    return change;
  },
});

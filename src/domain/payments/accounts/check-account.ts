import { found } from '#src/lib/errors.ts';
import { wrongModeOf } from '../../check-key-mode.ts';
import type { Context } from '../../context.ts';
import { type AccountCheck, classifyCheck } from '../../shipping/index.ts';
import { isTaxPending, taxIsPending } from './check-tax.ts';
import { openAccount } from './payment-account.ts';
import { readPaymentAccount } from './read-account.ts';

/**
 * Check with the payment provider whether the stored key opens the account, which is set up for what it is used for.
 * @throws DomainError `not_found` when no account is stored
 */
export async function checkPaymentAccount(ctx: Context): Promise<AccountCheck> {
  const stored = found(await readPaymentAccount(ctx), 'account');
  if (stored.mode !== 'direct') {
    return { ok: false, detail: 'The store cannot sell in connect mode: it needs its own keys.' };
  }
  if (!stored.hasSecretKey) return { ok: false, detail: 'No secret key is stored.' };
  const account = await openAccount(ctx);
  const wrong = wrongModeOf(ctx, account.secretKey);
  if (wrong) return { ok: false, detail: wrong };
  const missing = ctx.ports.payments.checkAccount(account, ctx.signal);
  const check = await classifyCheck(missing);
  if (!check.ok) return check;
  const permissions = await missing;
  if (permissions.length > 0) return { ok: false, detail: `The key lacks permissions: ${permissions.join(', ')}.` };
  const isPending = stored.automaticTax && (await isTaxPending(ctx, account));
  return isPending ? { ok: false, detail: taxIsPending } : check;
}

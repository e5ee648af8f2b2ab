import { notFound } from '#src/lib/errors.ts';
import { wrongModeOf } from '../check-key-mode.ts';
import type { Context } from '../context.ts';
import { type AccountCheck, classifyCheck } from '../shipping/index.ts';
import { readPaymentAccount } from './managed-account.ts';
import { openAccount } from './open-account.ts';

/**
 * Ask the payment provider whether the stored key opens the account.
 * @throws DomainError `not_found` when none is stored
 */
export async function checkPaymentAccount(ctx: Context): Promise<AccountCheck> {
  const stored = await readPaymentAccount(ctx);
  if (!stored) throw notFound('account');
  if (stored.mode !== 'direct') {
    return { ok: false, detail: 'The store cannot sell in this mode: it needs keys of its own.' };
  }
  if (!stored.hasSecretKey) return { ok: false, detail: 'There is no secret key to open the account with.' };
  const account = await openAccount(ctx);
  const wrong = wrongModeOf(ctx, account.secretKey);
  if (wrong) return { ok: false, detail: wrong };
  return classifyCheck(ctx.ports.payments.checkAccount(account, ctx.signal));
}

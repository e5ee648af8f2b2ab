import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { wrongModeOf } from '../check-key-mode.ts';
import type { Context } from '../context.ts';
import { openAccount, openSecondAccount } from './open-account.ts';
import { resumeIfPaused } from './pause-labels.ts';

/** What a look at an account found: a sentence for the store's owner. */
export interface AccountCheck {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Ask a provider whether the stored credentials open the account. Labels that were paused because they did not are
 * promised again when they do.
 * @throws DomainError `not_found` when none are stored
 */
export async function checkShippingAccount(ctx: Context, kind: 'shipping' | 'second-shipping'): Promise<AccountCheck> {
  const opened = kind === 'shipping' ? await openAccount(ctx) : undefined;
  const account = opened?.account ?? (kind === 'second-shipping' ? await openSecondAccount(ctx) : undefined);
  if (!account) throw new DomainError('not_found', 'not_found', 'No such account is saved.');
  const provider = kind === 'shipping' ? ctx.ports.shipping : ctx.ports.secondShipping;
  const wrongKind = opened && wrongModeOf(ctx, account.apiKey);
  if (wrongKind) return { ok: false, detail: wrongKind };
  const check = await classifyCheck(provider.checkAccount(account, { signal: ctx.signal }));
  if (check.ok && opened) await resumeIfPaused(ctx, opened);
  return check;
}

/** What a provider's answer to a look at an account says. */
export async function classifyCheck(look: Promise<void>): Promise<AccountCheck> {
  try {
    await look;
    return { ok: true, detail: 'The provider knows the account.' };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const detail =
      error.failure === 'denied' ? 'The provider does not accept the key.' : 'The provider did not answer.';
    return { ok: false, detail };
  }
}

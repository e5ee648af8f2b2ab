import type { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { Lease } from './label-lease.ts';
import type { OpenedAccount } from './open-account.ts';
import { pauseLabels } from './pause-labels.ts';
import { flagLabel } from './raise-label.ts';
import { type Next, putOff, tryAgain } from './settle-label.ts';

/** What an error of the provider means for a label. Where a purchase is open it stays open. */
export async function recordProviderError(
  ctx: Context,
  lease: Lease,
  account: OpenedAccount,
  error: ProviderError,
): Promise<Next> {
  if (error.failure === 'denied') {
    await pauseLabels(ctx, account);
    return flagLabel(ctx, lease, 'provider_auth');
  }
  if (error.failure === 'busy' && error.retryAfterSeconds !== undefined)
    return putOff(ctx, lease, error.retryAfterSeconds);
  return tryAgain(ctx, lease, error.failure === 'busy' ? 'provider_rate_limited' : 'provider_error', error.message);
}

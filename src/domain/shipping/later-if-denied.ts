import { hours } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { OpenedAccount } from './open-account.ts';
import { pauseLabels } from './pause-labels.ts';

/** How long work waits that an account which does not open holds up. */
const laterMs = hours(1);

/**
 * What is done about an account that does not open by work that is no label's own run: the same one alert, and the
 * work is come back to. Any other error is left to the caller.
 *
 * @throws Snooze
 */
export async function laterIfDenied(ctx: Context, account: OpenedAccount | undefined, error: unknown): Promise<void> {
  if (!(error instanceof ProviderError) || error.failure !== 'denied') return;
  if (account) await pauseLabels(ctx, account);
  throw new Snooze(laterMs, 'the account at the parcel provider does not open');
}

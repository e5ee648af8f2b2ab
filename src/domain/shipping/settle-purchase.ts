import { hours } from '#src/lib/duration.ts';
import type { Context } from '../context.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { type Lease, step } from './label-lease.ts';
import { flagLabel } from './raise-label.ts';
import { type Next, completeAsPurchased, tryAgain, waitFor } from './settle-label.ts';

/** How long a purchase may stay undecided at the provider before a person is asked. */
const undecidedMs = hours(24);

/** Write down what the provider says of the purchase that was asked for. */
export async function recordPurchaseOutcome(ctx: Context, lease: Lease, purchase: LabelPurchase): Promise<Next> {
  switch (purchase.state) {
    case 'purchased':
      await completeAsPurchased(ctx, lease, purchase);
      return 'done';
    case 'undecided':
      return waitForDecision(ctx, lease);
    case 'failed':
      await step(ctx, lease, (label) => label.wasNotBought());
      return recordFailure(ctx, lease, purchase);
    default:
      // Somebody gave it back over there: it is no label any more, and whether another is wanted is not ours to say.
      return flagLabel(ctx, lease, 'carrier_error', 'The label was bought, and given back at the provider.', (label) =>
        label.wasNotBought(),
      );
  }
}

export async function waitForDecision(ctx: Context, lease: Lease): Promise<Next> {
  const requestedAt = lease.label.buyingSince?.getTime() ?? 0;
  if (ctx.clock.now().getTime() - requestedAt > undecidedMs) return flagLabel(ctx, lease, 'outcome_unknown');
  return waitFor(ctx, lease, ctx.settings.labelLookupGraceMs);
}

async function recordFailure(ctx: Context, lease: Lease, { failure }: LabelPurchase): Promise<Next> {
  const detail = failure?.detail ?? null;
  if (failure?.kind === 'address') return flagLabel(ctx, lease, 'address_invalid', detail);
  if (failure?.kind === 'funds') return flagLabel(ctx, lease, 'provider_insufficient_funds', detail);
  if (failure?.kind === 'temporary') return tryAgain(ctx, lease, 'carrier_error', detail);
  return flagLabel(ctx, lease, 'carrier_error', detail);
}

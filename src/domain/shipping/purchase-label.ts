import { shortDigest } from '#src/lib/crypto.ts';
import type { Context } from '../context.ts';
import { orderForShipping } from '../orders/index.ts';
import { type Assessment, assessOrder } from './assess-order.ts';
import { buyLabel, lookUpPurchase } from './buy-label.ts';
import { chooseLabelRate } from './choose-label-rate.ts';
import { flagLabel } from './flag-label.ts';
import type { Lease } from './label-lease.ts';
import { type OpenedAccount, openAccount } from './open-account.ts';
import { completeAsSkipped, type Next } from './record-outcome.ts';
import { takeLabel } from './take-label.ts';

/** A look, a purchase, and a look for that one: nothing goes on longer in one run. */
const turnsMax = 3;

/**
 * A label whose runs died this often without a word is given up. Counted here and not only with the promise, because a
 * run that waits for a dead one's lease is an outcome of the promise, but none of the label.
 */
const startsMax = 10;

/**
 * Bring one label on, as far as it goes: quote, choose the cheapest, write that down, buy, and write down what came
 * of it. It can be worked any number of times and by many at once, and die anywhere: the row says how far it came.
 *
 * The provider knows no idempotency key. So whenever a purchase was asked for and its outcome is not known, nothing
 * is bought before the provider was looked at: a bought label is adopted, and only two empty looks, a grace period
 * apart, say that there is none.
 *
 * @throws ManualActionRequired when a person has to act; the message says what to do
 */
export async function purchaseLabel(
  ctx: Context,
  { labelId, attempt }: { labelId: string; attempt: number },
): Promise<void> {
  const lease = await takeLabel(ctx, { labelId, attempt });
  if (!lease) return;
  if (lease.label.starts > startsMax) return flagLabel(ctx, lease, 'crashes').then(() => undefined);
  await advance(ctx, lease, await openAccount(ctx));
}

async function advance(ctx: Context, lease: Lease, account: OpenedAccount | undefined): Promise<void> {
  let next: Next = lease.label.buyingSince ? 'look up' : 'buy';
  for (let turn = 0; turn < turnsMax && next !== 'done'; turn += 1) {
    next = next === 'look up' ? await findPurchase(ctx, lease, account) : await quoteAndBuy(ctx, lease, account);
  }
}

async function findPurchase(ctx: Context, lease: Lease, account: OpenedAccount | undefined): Promise<Next> {
  if (!mayCallProvider(account)) return flagLabel(ctx, lease, 'provider_auth');
  return lookUpPurchase(ctx, lease, account);
}

/** Nothing is open: see what the order needs, choose a rate unless a good one is chosen, and buy. */
async function quoteAndBuy(ctx: Context, lease: Lease, account: OpenedAccount | undefined): Promise<Next> {
  const order = await orderForShipping(ctx, lease.orderId);
  const isManual = lease.label.chosenManually;
  const assessment: Assessment = order ? assessOrder(order, account, isManual) : { decision: 'skip' };
  if (assessment.decision === 'skip') return completeAsSkipped(ctx, lease);
  if (assessment.decision === 'flag') return flagLabel(ctx, lease, assessment.code, assessment.detail);
  if (!mayCallProvider(account)) return flagLabel(ctx, lease, 'provider_auth');

  const quotedFor = shortDigest(JSON.stringify([assessment.to, assessment.parcel]), 20);
  if (!lease.label.hasUsableRate(ctx.clock.now(), quotedFor)) {
    if (isManual && lease.label.rate)
      return flagLabel(ctx, lease, 'no_matching_rate', 'The chosen rate is too old to be bought.');
    const rate = await chooseLabelRate(ctx, lease, account, assessment);
    return rate === 'done' ? rate : buyLabel(ctx, lease, account, { rate, quotedFor });
  }
  return buyLabel(ctx, lease, account);
}

/** While the account does not open, no label asks whether it does again, until an operator retries one. */
function mayCallProvider(account: OpenedAccount | undefined): account is OpenedAccount {
  return account !== undefined && account.pausedAt === null;
}

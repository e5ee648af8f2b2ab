import { completeJob, readOne } from '#src/database/transact.ts';
import { days } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { matchPurchases } from './match-purchases.ts';
import { openAccount } from './open-account.ts';

/** A label is looked at again shortly after its purchase, and once more the next day. */
const secondLookupMs = days(1);

interface Looked {
  /** Every rate that a purchase may have been made with. */
  readonly rateIds: readonly string[];
  /** When its last purchase was asked for or written down. */
  readonly since: Date;
}

/**
 * Look again whether a label was bought that nobody waits for any more, or bought twice. A provider that does not
 * answer is asked again: the row stays due until a look has succeeded.
 */
export async function checkPurchases(
  ctx: Context,
  { labelId, number }: { labelId: string; number: number },
): Promise<void> {
  const [label, opened] = await Promise.all([
    readOne<Looked>(
      ctx,
      sql`
      select array(select distinct unnest(array_remove(requested_rate_ids || rate_id, null))) as "rateIds",
        coalesce(purchased_at, buying_since, updated_at) as since
      from labels where tenant_id = ${ctx.tenant.id} and id = ${labelId}`,
    ),
    openAccount(ctx),
  ]);
  if (!label || label.rateIds.length === 0 || !opened) return;
  try {
    const purchases: LabelPurchase[] = [];
    for (const rateId of label.rateIds) {
      purchases.push(...(await ctx.ports.shipping.findPurchases(opened.account, rateId, { signal: ctx.signal })));
    }
    await matchPurchases(ctx, labelId, purchases);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log.warn({ label: labelId, err: error }, 'a label could not be looked at again');
    return;
  }
  const secondLookupAt = new Date(label.since.getTime() + secondLookupMs);
  const next = secondLookupAt > ctx.clock.now() ? secondLookupAt : null;
  await completeJob(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update labels set recheck_at = ${next} where tenant_id = ${ctx.tenant.id} and id = ${labelId} and rechecks = ${number}`),
  );
}

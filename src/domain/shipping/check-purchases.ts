import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { conclude, readOne } from '../database.ts';
import { matchPurchases } from './match-purchases.ts';
import { openAccount } from './open-account.ts';

/** A label is looked at again shortly after its purchase, and once more the next day. */
const rechecksMax = 2;
const secondRecheckMs = days(1);

/** Look again whether a label was bought that nobody waits for any more, or bought twice. */
export async function checkPurchases(ctx: Context, { labelId }: { labelId: string; number: number }): Promise<void> {
  const [label, opened] = await Promise.all([
    readOne<{ rateId: string | null; rechecks: number }>(ctx, sql`
      select rate_id as "rateId", rechecks from labels where tenant_id = ${ctx.tenant.id} and id = ${labelId}`),
    openAccount(ctx),
  ]);
  if (!label?.rateId || !opened) return;
  const purchases = await ctx.ports.shipping.findPurchases(opened.account, label.rateId, { signal: ctx.signal });
  await matchPurchases(ctx, labelId, purchases);
  await conclude(ctx, (ctx) => ctx.tx.run(sql`
    update labels set recheck_at = ${label.rechecks < rechecksMax ? fromNow(ctx.clock, secondRecheckMs) : null}
    where tenant_id = ${ctx.tenant.id} and id = ${labelId} and recheck_at is null`));
}

import { read, readOne } from '#src/database/transact.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { labelIdIn } from './label.ts';
import { laterIfDenied } from './later-if-denied.ts';
import { matchPurchases } from './match-purchases.ts';
import { openAccount } from './open-account.ts';
import { reconcileTracking } from './reconcile-tracking.ts';

/** Look at what the parcel provider hinted at: a parcel that moved, or a purchase that was decided. */
export async function processNotification(ctx: Context, { notificationId }: { notificationId: string }): Promise<void> {
  const hint = await readOne<{ kind: 'track' | 'transaction'; subject: string }>(
    ctx,
    sql`
    select kind, subject from shipping_notifications where tenant_id = ${ctx.tenant.id} and id = ${notificationId}`,
  );
  if (!hint) return;
  if (hint.kind === 'transaction') return followPurchase(ctx, hint.subject);

  const parcels = await read<{ id: string }>(
    ctx,
    sql`
    select id from trackings where tenant_id = ${ctx.tenant.id} and tracking_number = ${hint.subject} limit 10`,
  );
  // The hint is followed when all of them are, not when the first one is.
  const { attempt: _, ...each } = ctx;
  for (const { id } of parcels) await reconcileTracking(each, { trackingId: id });
}

async function followPurchase(ctx: Context, purchaseId: string): Promise<void> {
  const opened = await openAccount(ctx);
  if (!opened) return;
  const purchase = await ctx.ports.shipping
    .fetchPurchase(opened.account, purchaseId, { signal: ctx.signal })
    .catch(async (error: unknown) => {
      await laterIfDenied(ctx, opened, error);
      return unlessMissing(error);
    });
  const labelId = purchase && labelIdIn(purchase.marker);
  if (purchase && labelId) await matchPurchases(ctx, labelId, [purchase]);
}

/** A hint about what the account does not know is not about this store. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof ProviderError && error.failure === 'missing') return undefined;
  throw error;
}

import { readOne } from '#src/database/transact.ts';
import { notFound, ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { isBackAtProvider } from './check-purchases.ts';
import { openAccount } from './shipping-account.ts';

/**
 * A link to the PDF of a label. The provider signs its links for a limited time, so the purchase is fetched again. The
 * stored link may still work when that fails, as when the store's account was replaced since.
 * @throws DomainError `not_found`, also where the label was not bought, or is void or being voided, here or there
 */
export async function linkToLabelFile(ctx: Context, { labelId }: { labelId: string }): Promise<string> {
  const label = await readOne<{ purchaseId: string; labelUrl: string }>(
    ctx,
    sql`
    select purchase_id as "purchaseId", label_url as "labelUrl" from labels
    where tenant_id = ${ctx.tenant.id} and id = ${labelId} and state = 'purchased' and voiding_since is null
      and purchase_id is not null and label_url is not null`,
  );
  const purchase = label && (await fetchPurchase(ctx, label.purchaseId));
  if (!label || (purchase && isBackAtProvider(purchase))) throw notFound('label to print');
  return purchase?.labelUrl ?? label.labelUrl;
}

async function fetchPurchase(ctx: Context, purchaseId: string): Promise<LabelPurchase | null> {
  const opened = await openAccount(ctx);
  if (!opened) return null;
  try {
    return await ctx.ports.shipping.fetchPurchase(opened.account, purchaseId, { signal: ctx.signal });
  } catch (error) {
    if (error instanceof ProviderError) return null;
    throw error;
  }
}

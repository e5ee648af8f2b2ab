import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { publishableKeyOf } from '../payments/index.ts';
import { type ShippingOptions, shippingOptionsOf } from '../shipping/index.ts';
import type { Tenant } from '../tenants/index.ts';

/** What a storefront needs to know of its store before it can show anything. */
export interface Storefront {
  readonly tenant: Tenant;
  /** The payment provider's key for browsers; null where the store takes no payments yet. */
  readonly publishableKey: string | null;
  readonly shipping: ShippingOptions | null;
}

/** Read it with one statement, beside what is known of the store already. */
export async function readStorefront(ctx: Context): Promise<Storefront> {
  const row = await readOne<Omit<Storefront, 'tenant'>>(
    ctx,
    sql`
    select ${publishableKeyOf(ctx)} as "publishableKey", ${shippingOptionsOf(ctx)} as shipping`,
    { brief: true },
  );
  return { publishableKey: null, shipping: null, ...row, tenant: ctx.tenant };
}

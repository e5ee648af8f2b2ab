import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { publishableKeyOf } from '../payments/index.ts';
import { type ShippingOptions, shippingOptionsOf } from '../shipping/index.ts';
import type { Tenant } from '../tenants/index.ts';

/** The settings that a storefront loads first. */
export interface Storefront {
  readonly tenant: Tenant;
  /** The payment provider's key for browsers; null while the store cannot take payments. */
  readonly publishableKey: string | null;
  readonly shipping: ShippingOptions | null;
}

/** Read the settings with one statement. */
export async function readStorefront(ctx: Context): Promise<Storefront> {
  const row = await readOne<Omit<Storefront, 'tenant'>>(
    ctx,
    sql`
    select ${publishableKeyOf(ctx)} as "publishableKey", ${shippingOptionsOf(ctx)} as shipping`,
    { brief: true },
  );
  return { publishableKey: null, shipping: null, ...row, tenant: ctx.tenant };
}

import type { Context } from '../context.ts';
import { publishableKey } from '../payments/index.ts';
import { type ShippingOptions, shippingOptions } from '../shipping/index.ts';
import type { Tenant } from '../tenants/index.ts';

/** What a storefront needs to know of its store before it can show anything. */
export interface Storefront {
  readonly tenant: Tenant;
  /** The payment provider's key for browsers; null where the store takes no payments yet. */
  readonly publishableKey: string | null;
  readonly shipping: ShippingOptions | undefined;
}

export async function readStorefront(ctx: Context): Promise<Storefront> {
  const [key, shipping] = await Promise.all([publishableKey(ctx), shippingOptions(ctx)]);
  return { tenant: ctx.tenant, publishableKey: key, shipping };
}

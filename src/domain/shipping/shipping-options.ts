import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { readOne } from '../database.ts';
import type { ShippingOption } from './shipping-account.ts';

/** Where a store ships to, and what shipping costs the shopper. */
export interface ShippingOptions {
  readonly countries: readonly string[];
  readonly options: readonly { readonly name: string; readonly amountCents: number; readonly freeOverCents: number | null }[];
}

/** `undefined` where the store has said nothing of shipping. */
export async function shippingOptions(ctx: Context): Promise<ShippingOptions | undefined> {
  const row = await readOne<{ countries: string[]; options: ShippingOption[] }>(ctx, sql`
    select countries, options from shipping_accounts where tenant_id = ${ctx.tenant.id}`);
  return row && {
    countries: row.countries,
    options: row.options.map(({ name, amount_cents, free_over_cents }) => ({
      name, amountCents: amount_cents, freeOverCents: free_over_cents ?? null,
    })),
  };
}

import { readOne } from '#src/database/transact.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** Where a store ships to, and what shipping costs the shopper. */
export interface ShippingOptions {
  readonly countries: readonly string[];
  readonly options: readonly {
    readonly name: string;
    readonly amountCents: number;
    readonly freeOverCents: number | null;
  }[];
}

/** `undefined` where the store has said nothing of shipping. */
export async function shippingOptions(ctx: Context): Promise<ShippingOptions | undefined> {
  const row = await readOne<{ options: ShippingOptions | null }>(ctx, sql`select ${shippingOptionsOf(ctx)} as options`);
  return row?.options ?? undefined;
}

/** The same as JSON, as a part of another statement; null where the store has said nothing of shipping. */
export const shippingOptionsOf = (ctx: Context): Sql => sql`
  (select json_build_object('countries', countries, 'options', (
      select coalesce(json_agg(json_build_object('name', option -> 'name', 'amountCents', option -> 'amount_cents',
        'freeOverCents', option -> 'free_over_cents') order by position), '[]')
      from jsonb_array_elements(options) with ordinality as offered(option, position)))
    from shipping_accounts where tenant_id = ${ctx.tenant.id})`;

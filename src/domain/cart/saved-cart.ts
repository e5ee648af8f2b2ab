import { readOne, write } from '#src/database/transact.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { PurchaseType, StockLevel, SubscriptionInterval } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { unitPrice } from './cart.ts';

/** A saved cart with everything that decides about its reminders. */
export interface SavedCartRecord {
  readonly id: string;
  readonly email: string;
  /** The store's now, in which current prices are. It may have changed before the store's first order. */
  readonly currency: string;
  readonly consent: boolean;
  readonly savedAt: Date;
  readonly expiresAt: Date;
  /** When a purchase completed it. */
  readonly convertedAt: Date | null;
  /** Whether the payment of a purchase that will complete it is on its way. */
  readonly isBeingPaid: boolean;
  /** Whether a newer cart was saved for the same email. */
  readonly isOutdated: boolean;
  readonly lines: readonly SavedLine[];
}

/** @returns the saved cart, read with one statement, or `undefined` for an unknown id */
export async function readSavedCart(ctx: Context, id: string): Promise<SavedCartRecord | undefined> {
  return readOne<SavedCartRecord>(
    ctx,
    sql`
    select s.id, s.email, ${ctx.tenant.currency}::text as currency, s.consent, s.saved_at as "savedAt",
      s.expires_at as "expiresAt", s.converted_at as "convertedAt",
      exists (select from orders o
        where o.tenant_id = s.tenant_id and o.status = 'pending' and o.payment_status = 'processing'
          and o.updated_at >= s.saved_at
          and (o.email = s.email or o.cart_id = s.cart_id or o.metadata ->> 'session_id' = s.session_id))
        as "isBeingPaid",
      exists (select from saved_carts newer where newer.tenant_id = s.tenant_id and newer.email = s.email
        and (newer.saved_at, newer.id) > (s.saved_at, s.id)) as "isOutdated",
      ${savedLines} as lines
    from saved_carts s where s.tenant_id = ${ctx.tenant.id} and s.id = ${id}`,
  );
}

/** A saved cart with the current catalogue data of its lines. */
export type RestoredCart = Pick<SavedCartRecord, 'id' | 'savedAt' | 'expiresAt' | 'currency' | 'lines'>;

/**
 * Find the saved cart of a token and record that it was restored, in one statement.
 * @param options `isPreview`: nothing is recorded
 * @throws DomainError gone `saved_cart_gone`, when the token is unknown, or its cart has expired or was converted
 */
export async function restoreCart(
  ctx: Context,
  token: string,
  { isPreview = false }: { isPreview?: boolean } = {},
): Promise<RestoredCart> {
  const now = ctx.clock.now();
  const restoredAt = isPreview ? null : now;
  const [cart] = await write<RestoredCart>(
    ctx,
    sql`
    saved as (
      update saved_carts set restored_at = coalesce(restored_at, ${restoredAt}::timestamptz)
      where tenant_id = ${ctx.tenant.id} and restore_token_hash = ${sha256(token)} and expires_at > ${now}
        and converted_at is null
      returning *)`,
    sql`
    select s.id, s.saved_at as "savedAt", s.expires_at as "expiresAt",
      ${ctx.tenant.currency}::text as currency, ${savedLines} as lines from saved s`,
  );
  if (!cart) throw savedCartGone();
  return cart;
}

/** @returns the error for a token without a saved cart, the same whether or not it ever had one */
export function savedCartGone(): DomainError {
  return new DomainError('gone', 'saved_cart_gone', 'This saved cart is no longer available.');
}

/** A line of a saved cart with its current catalogue data. */
export interface SavedLine extends StockLevel {
  readonly productSlug: string | null;
  readonly variantId: string | null;
  /** As the caller named it, so it must not appear in an email. */
  readonly name: string | null;
  readonly productName: string | null;
  readonly variantName: string | null;
  readonly quantity: number;
  /** The unit price when the cart was saved. */
  readonly unitPriceCents: number | null;
  /** How the shopper wanted to buy it. Null: the storefront did not say. */
  readonly purchaseType: PurchaseType | null;
  readonly subscriptionInterval: SubscriptionInterval | null;
  /** The current unit price. Null: it is no longer sold, or not in this way, or the variant is ambiguous. */
  readonly currentUnitPriceCents: number | null;
  /** How many variants match the line. 0: it is no longer sold. */
  readonly variantCount: number;
}

/**
 * The lines of a row `s` of `saved_carts`, as JSON. A line without a variant is matched to its product's only variant,
 * if it has just one.
 */
const savedLines = sql`
  (select coalesce(json_agg(json_build_object(
      'productSlug', coalesce(w."productSlug", f.slug), 'variantId', w."variantId",
      'name', coalesce(w.name, f.product_name), 'productName', f.product_name,
      'variantName', case when f.count = 1 then f.name end, 'quantity', w.quantity,
      'unitPriceCents', w."unitPriceCents", 'purchaseType', w."purchaseType", 'subscriptionInterval', w.interval,
      'variantCount', coalesce(f.count, 0), 'currentUnitPriceCents', case when f.count = 1 then f.unit_price end,
      'stock', f.stock, 'stockHeld', coalesce(f.stock_held, 0), 'lowStockAt', f.low_stock_at,
      'backorder', coalesce(f.backorder, false)) order by w.position), '[]')
    from rows from (jsonb_to_recordset(s.items)
      as ("productSlug" text, "variantId" text, name text, quantity int, "unitPriceCents" bigint, "purchaseType" text,
        interval text))
      with ordinality as w("productSlug", "variantId", name, quantity, "unitPriceCents", "purchaseType", interval,
        position)
    left join lateral (
      select v.*, p.slug, p.name as product_name, count(*) over () as count,
        case when w."purchaseType" is null then v.price_cents
          else ${unitPrice(sql`w."purchaseType"`, sql`coalesce(w.interval, p.subscription_intervals[1])`)} end as unit_price
      from products p
      join variants v on v.tenant_id = p.tenant_id and v.product_id = p.id
        and case when v.removed_at is null then w."variantId" is null or v.id = w."variantId" end
      where p.tenant_id = s.tenant_id and p.status = 'published' and p.removed_at is null
        and p.id = case when w."variantId" is null
          then (select id from products named where named.tenant_id = s.tenant_id and named.slug = w."productSlug")
          else (select product_id from variants named where named.tenant_id = s.tenant_id and named.id = w."variantId")
        end
      limit 1) f on true)`;

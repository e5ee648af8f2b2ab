import { writeRows } from '#src/database/transact.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { PurchaseType, SubscriptionInterval } from '../catalog/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { customerIdOf } from '../customers/index.ts';
import type { Hold } from './hold.ts';
import type { Gift, ShippingAddress } from './order.ts';

/** An item of a new order. The variant is the actual one, whether or not the request named it. */
export interface NewOrderItem {
  readonly productId: string;
  readonly productSlug: string;
  readonly variantId: string;
  readonly variantNamed: boolean;
  readonly sku: string | null;
  readonly name: string;
  readonly quantity: number;
  readonly unitPriceCents: number;
  readonly discountCents: number;
  readonly purchaseType: PurchaseType;
  readonly subscriptionInterval: SubscriptionInterval | null;
  readonly weightOz: number | null;
  readonly ships: boolean;
}

/**
 * A new order. Amounts are in minor units of `currency`; `totalCents` is what will be charged, as far as is known
 * before tax.
 */
export interface NewOrder {
  readonly id: string;
  readonly number: number;
  readonly currency: string;
  /** Trimmed, lower case. The order is linked to the customer with this email, if there is one. */
  readonly email: string | null;
  readonly subtotalCents: number;
  readonly discountCents: number;
  readonly giftCardCents: number;
  readonly shippingCents: number;
  readonly totalCents: number;
  readonly shippingAddress: ShippingAddress | null;
  readonly promoCode: string | null;
  readonly partnerCode: string | null;
  readonly cartId: string | null;
  readonly metadata: Record<string, unknown>;
  readonly gift?: Gift | null;
  readonly items: readonly NewOrderItem[];
  readonly holds: readonly Hold[];
  /** `released` for things that are taken only when it is paid; `held` otherwise. */
  readonly holdsState?: 'held' | 'released';
  /** When the holds expire, unless it is paid before. */
  readonly holdsExpireAt: Date;
}

/** Insert a pending order with its items and holds, in one statement. */
export async function createOrder(ctx: InTransaction, order: NewOrder): Promise<void> {
  const now = ctx.clock.now();
  const fulfillment = order.items.some(({ ships }) => ships) ? 'unfulfilled' : 'not_required';
  const items = order.items.map((item, position) => ({
    ...item,
    id: newId('item'),
    position,
    totalCents: item.unitPriceCents * item.quantity - item.discountCents,
  }));
  const holds = order.holds.map((hold) => ({ ...hold, id: newId('hold') }));

  await ctx.tx.execute(sql`
    with made as (
      insert into orders (tenant_id, id, number, order_number, status, payment_status, fulfillment_status, currency,
        email, customer_id, subtotal_cents, discount_cents, gift_card_cents, shipping_cents, total_cents,
        shipping_address, promo_code, partner_code, cart_id, metadata, gift, created_at, updated_at)
      values (${ctx.tenant.id}, ${order.id}, ${order.number}, ${orderNumberOf(order.number)}, 'pending', 'unpaid',
        ${fulfillment}, ${order.currency}, ${order.email},
        ${customerIdOf(ctx, order.email)}, ${order.subtotalCents},
        ${order.discountCents}, ${order.giftCardCents}, ${order.shippingCents}, ${order.totalCents},
        ${order.shippingAddress && JSON.stringify(order.shippingAddress)}::jsonb, ${order.promoCode},
        ${order.partnerCode}, ${order.cartId}, ${JSON.stringify(order.metadata)}::jsonb,
        ${order.gift ? JSON.stringify(order.gift) : null}::jsonb, ${now}, ${now})),
    held as (
      insert into holds (tenant_id, id, order_id, kind, subject_id, quantity, amount_cents, customer_email, state,
        expires_at, created_at)
      select ${ctx.tenant.id}, id, ${order.id}, kind, "subjectId", quantity, "amountCents", ${order.email},
        ${order.holdsState ?? 'held'}, ${order.holdsExpireAt}, ${now}
      from jsonb_to_recordset(${JSON.stringify(holds)}::jsonb)
        as h(id text, kind text, "subjectId" text, quantity int, "amountCents" bigint))
    insert into order_items (tenant_id, id, order_id, position, product_id, product_slug, variant_id, variant_named,
      sku, name, quantity, unit_price_cents, discount_cents, total_cents, purchase_type, subscription_interval,
      weight_oz, ships)
    select ${ctx.tenant.id}, id, ${order.id}, position, "productId", "productSlug", "variantId", "variantNamed", sku,
      name, quantity, "unitPriceCents", "discountCents", "totalCents", "purchaseType", "subscriptionInterval",
      "weightOz", ships
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
      as i(id text, position int, "productId" text, "productSlug" text, "variantId" text, "variantNamed" boolean,
        sku text, name text, quantity int, "unitPriceCents" bigint, "discountCents" bigint, "totalCents" bigint,
        "purchaseType" text, "subscriptionInterval" text, "weightOz" numeric, ships boolean)`);
}

/** The number of a store's first order. */
const firstOrderNumber = 1001;

/**
 * The store's next order number. Call it outside the transaction that uses it, so that the counter is locked only
 * briefly: numbers increase, and an unused one leaves a gap. The counter has a table of its own, so that checkouts do
 * not wait while the store's row is updated.
 */
export async function takeOrderNumber(ctx: Context): Promise<number> {
  const [taken] = await writeRows<{ number: number }>(
    ctx,
    sql`
    insert into order_numbers (tenant_id, next_number) values (${ctx.tenant.id}, ${firstOrderNumber + 1})
    on conflict (tenant_id) do update set next_number = order_numbers.next_number + 1
    returning next_number - 1 as number`,
  );
  if (!taken) throw new TypeError('The counter returned no number.');
  return taken.number;
}

/** As the store's orders are numbered; imported ones may have other numbers. */
export const orderNumberOf = (number: number): string => `ORD-${number}`;

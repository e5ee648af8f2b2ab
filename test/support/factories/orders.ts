import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import type { ShippingAddress } from '#src/domain/orders/index.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';

export interface GivenItem {
  /** A variant of the catalogue. */
  variantId?: string;
  name?: string;
  quantity?: number;
  unitPriceCents?: number;
  weightOz?: number | null;
  ships?: boolean;
}

export interface GivenOrder {
  /** For a store that sells in earnest, too: one that it does not reach. */
  number?: number;
  status?: 'pending' | 'paid' | 'refunded' | 'partially_refunded';
  email?: string;
  address?: Partial<ShippingAddress> | null;
  items?: GivenItem[];
  attentionCodes?: string[];
  disputeStatus?: 'open' | 'won' | 'lost';
  currency?: string;
  /** What the payment provider calls what paid it. */
  paymentId?: string;
}

export interface BuiltOrder {
  id: string;
  number: number;
  orderNumber: string;
}

export const newYork: ShippingAddress = {
  name: 'Ada Wells',
  street1: '40 W 23rd St',
  street2: null,
  city: 'New York',
  state: 'NY',
  zip: '10010',
  country: 'US',
  phone: '2125550100',
  email: 'ada@example.com',
};

let nextNumber = 1001;

/** A paid order with its items, written as rows: one oak bowl of 18 ounces to New York by default. */
export async function buildPaidOrder(ctx: Context, given: GivenOrder = {}): Promise<BuiltOrder> {
  const id = newId('ord');
  const number = given.number ?? (nextNumber += 1);
  const orderNumber = `ORD-${number}`;
  const now = ctx.clock.now();
  const address = given.address === null ? null : JSON.stringify({ ...newYork, ...given.address });
  const items = given.items ?? [{}];
  const status = given.status ?? 'paid';
  const total = items.reduce((sum, { quantity = 1, unitPriceCents = 3800 }) => sum + quantity * unitPriceCents, 0);
  const attentions = (given.attentionCodes ?? []).map((code) => ({ code, detail: '' }));
  const fulfillment = items.some(({ ships = true }) => ships) ? 'unfulfilled' : 'not_required';
  const paymentStatus = status === 'pending' ? 'unpaid' : status;
  await transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      insert into orders (tenant_id, id, number, order_number, status, payment_status, fulfillment_status, currency,
        email, subtotal_cents, total_cents, shipping_address, attentions, created_at, updated_at, paid_at, payment_id,
        dispute_status)
      values (${ctx.tenant.id}, ${id}, ${number}, ${orderNumber}, ${status}, ${paymentStatus}, ${fulfillment},
        ${given.currency ?? 'USD'}, ${given.email ?? 'ada@example.com'}, ${total}, ${total}, ${address}::jsonb,
        ${JSON.stringify(attentions)}::jsonb, ${now}, ${now}, ${status === 'pending' ? null : now},
        ${given.paymentId ?? null}, ${given.disputeStatus ?? null})`);
    for (const [position, item] of items.entries()) {
      const { name = 'Oak bowl', quantity = 1, unitPriceCents = 3800, weightOz = 18, ships = true } = item;
      await ctx.tx.execute(sql`
        insert into order_items (tenant_id, id, order_id, position, product_id, product_slug, variant_id, variant_named,
          sku, name, quantity, unit_price_cents, total_cents, purchase_type, weight_oz, ships)
        values (${ctx.tenant.id}, ${newId('item')}, ${id}, ${position}, ${newId('prod')}, 'oak-bowl',
          ${item.variantId ?? newId('var')},
          true, 'BOWL-S', ${name}, ${quantity}, ${unitPriceCents}, ${quantity * unitPriceCents}, 'one_time',
          ${weightOz}, ${ships})`);
    }
  });
  return { id, number, orderNumber };
}

/** Stock that was released before an order was paid, and was gone then. */
export async function buildReleasedHold(
  ctx: Context,
  orderId: string,
  { variantId, quantity }: { variantId: string; quantity: number },
): Promise<void> {
  const now = ctx.clock.now();
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
      insert into holds (tenant_id, id, order_id, kind, subject_id, quantity, state, expires_at, created_at, closed_at)
      values (${ctx.tenant.id}, ${newId('hold')}, ${orderId}, 'stock', ${variantId}, ${quantity}, 'released', ${now},
        ${now}, ${now})`),
  );
}

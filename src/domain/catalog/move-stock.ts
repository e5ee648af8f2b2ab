import { notifyRestock } from '#jobs/leads.ts';
import { awaitAll } from '#src/lib/await-all.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { opaque, type Sql, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';

/** A quantity of one variant. */
export interface StockLine {
  readonly variantId: string;
  readonly quantity: number;
}

/** A variant that is short of stock. The fields are those of the error that a checkout returns. */
export interface StockShortage {
  readonly variant_id: string;
  readonly requested: number;
  readonly available: number;
}

/** The order that a movement is recorded for in the ledger. */
export interface StockOrder {
  readonly orderId?: string;
}

/**
 * One kind of stock movement, as SQL expressions over the locked variant `v` and the line `w`: the new values of
 * `stock` and `stock_held`, and the condition under which a variant that is tracked and not sold on backorder is short.
 */
interface Movement extends StockOrder {
  readonly stock?: Sql;
  readonly held?: Sql;
  readonly tooLittle?: Sql;
  readonly reason?: 'sold' | 'restocked';
}

interface LockedVariant {
  readonly id: string;
  readonly sku: string;
  readonly isRemoved: boolean;
}

/**
 * Lock variants until the transaction ends. Rows are locked in the order of their ids, so that two transactions with the
 * same variants cannot deadlock, and with `no key update`, which does not block inserting cart lines that refer to them.
 *
 * It is a statement of its own: one that locks a row which changed meanwhile, and updates it, begins the update with the
 * version that it saw first, and waits there for those who wait for its own lock, as long as somebody else's insert
 * refers to that version.
 * @param ids a query for the `id` of each
 */
export function lockVariants(ctx: InTransaction, ids: Sql): Promise<LockedVariant[]> {
  return ctx.tx.execute(sql`
    select v.* from (select distinct id from (${ids}) as wanted order by id) as w cross join lateral (
      select id, sku, removed_at is not null as "isRemoved" from variants v
      where v.tenant_id = ${opaque(ctx.tenant.id)} and v.id = w.id
      for no key update) as v`);
}

/**
 * Lock several variants, move their stock, all or nothing, and write the ledger. A variant that was sold out and is
 * available again enqueues the notification of its waitlist. The ids are named to the update as a list, too: joined
 * alone, all variants of a large store may be read.
 * @returns the variants that are short, in which case nothing was moved; an unknown variant has no stock
 */
async function moveStock(ctx: InTransaction, given: readonly StockLine[], move: Movement): Promise<StockShortage[]> {
  const wanted = Array.from(sumByVariant(given), ([variantId, quantity]) => ({
    movement_id: newId('mov'),
    variant_id: variantId,
    quantity,
  }));
  const lines = sql`
    select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as w(movement_id text, variant_id text, quantity int)`;
  const locked = lockVariants(ctx, sql`select variant_id as id from (${lines}) as line`);
  const moved = ctx.tx.execute<StockShortage & { movementId: string | null }>(sql`
    with wanted as (${lines}),
    present as (
      select v.id, v.stock, greatest(v.stock - v.stock_held, 0) as available,
        v.stock <= v.stock_held as sold_out,
        v.stock is not null and not v.backorder and ${move.tooLittle ?? sql`false`} as too_little
      from wanted w cross join lateral (
        select * from variants v where v.tenant_id = ${opaque(ctx.tenant.id)} and v.id = w.variant_id offset 0) as v),
    short as (
      select w.variant_id, w.quantity as requested, coalesce(p.available, 0) as available
      from wanted w left join present p on p.id = w.variant_id
      where p.id is null or p.too_little),
    moved as (
      update variants v set stock = ${move.stock ?? sql`v.stock`}, stock_held = ${move.held ?? sql`v.stock_held`}
      from present p join wanted w on w.variant_id = p.id
      where v.tenant_id = ${opaque(ctx.tenant.id)} and v.id = p.id and v.id = any(array(select id from present))
        and not exists (select from short)
      returning w.movement_id, v.id, v.stock - p.stock as quantity, p.sold_out and v.stock > v.stock_held as is_back),
    ledger as (
      insert into stock_movements (tenant_id, id, variant_id, quantity, reason, order_id, at)
      select ${ctx.tenant.id}, movement_id, id, quantity, ${move.reason ?? null}::text, ${move.orderId ?? null}::text,
        ${ctx.clock.now()}::timestamptz
      from moved where quantity <> 0)
    select variant_id, requested, available, null as "movementId" from short
    union all select id, 0, 0, movement_id from moved where is_back
    order by variant_id`);
  const [, rows] = await awaitAll(locked, moved);
  for (const { movementId, variant_id: variantId } of rows) {
    if (movementId) enqueue(ctx, notifyRestock, { variantId, movementId, number: 1 });
  }
  return rows.flatMap(({ movementId, ...shortage }) => (movementId ? [] : [shortage]));
}

/** The quantity of each variant, also of one that is on several lines. */
export function sumByVariant(lines: readonly StockLine[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { variantId, quantity } of lines) sums.set(variantId, (sums.get(variantId) ?? 0) + quantity);
  return sums;
}

/**
 * Hold stock for an order that is not paid yet: no other order can take it until it is released or captured.
 * @throws DomainError conflict `insufficient_stock`, with `items` that name each variant and its available quantity
 */
export async function holdStock(ctx: InTransaction, lines: readonly StockLine[]): Promise<void> {
  const items = await moveStock(ctx, lines, {
    held: sql`v.stock_held + w.quantity`,
    tooLittle: sql`v.stock - v.stock_held < w.quantity`,
  });
  if (items.length > 0) {
    throw new DomainError('conflict', 'insufficient_stock', 'There is not enough in stock.', { extensions: { items } });
  }
}

/** Release held stock. The caller makes sure that each hold is released once. */
export async function releaseStock(ctx: InTransaction, lines: readonly StockLine[]): Promise<void> {
  await moveStock(ctx, lines, { held: sql`v.stock_held - w.quantity` });
}

/**
 * Turn held stock into sold stock.
 * @returns `false` when the owner has since set the stock below the held quantity: nothing is sold, the hold is
 *   released all the same, and the order is oversold
 */
export async function captureStock(
  ctx: InTransaction,
  lines: readonly StockLine[],
  order: StockOrder = {},
): Promise<boolean> {
  const short = await moveStock(ctx, lines, {
    ...order,
    stock: sql`v.stock - w.quantity`,
    held: sql`v.stock_held - w.quantity`,
    tooLittle: sql`v.stock < w.quantity`,
    reason: 'sold',
  });
  if (short.length > 0) await releaseStock(ctx, lines);
  return short.length === 0;
}

/**
 * Sell stock that is not held, all or nothing: for a payment that arrived after its hold was released.
 * @returns `false` when there is not enough
 */
export async function takeStock(
  ctx: InTransaction,
  lines: readonly StockLine[],
  order: StockOrder = {},
): Promise<boolean> {
  const short = await moveStock(ctx, lines, {
    ...order,
    stock: sql`v.stock - w.quantity`,
    tooLittle: sql`v.stock - v.stock_held < w.quantity`,
    reason: 'sold',
  });
  return short.length === 0;
}

/** Put sold stock back, after a refund or a cancellation before shipping. */
export async function restock(ctx: InTransaction, lines: readonly StockLine[], order: StockOrder = {}): Promise<void> {
  await moveStock(ctx, lines, { ...order, stock: sql`v.stock + w.quantity`, reason: 'restocked' });
}

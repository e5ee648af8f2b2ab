import { notifyRestock } from '#jobs/leads.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';

/** So many pieces of a variant. */
export interface StockLine {
  readonly variantId: string;
  readonly quantity: number;
}

/** A variant of which there is too little. */
export interface StockShortage {
  readonly variant_id: string;
  readonly requested: number;
  readonly available: number;
}

/** What became of stock that belongs to an order. */
export interface StockOrder {
  readonly orderId?: string;
}

/**
 * How stock moves, in terms of the locked row `v` and the line `w`: what becomes of `stock` and of `stock_held`, and
 * when there is too little of a variant that is tracked and not sold on backorder.
 */
interface StockMove extends StockOrder {
  readonly stock?: Sql;
  readonly held?: Sql;
  readonly tooLittle?: Sql;
  readonly reason?: 'sold' | 'restocked';
}

/**
 * Move the stock of several variants, all or nothing, and write the ledger, in one statement. Rows are locked in the
 * order of their ids, so that two orders of the same things never wait for each other, and by a lock that does not stop
 * whoever puts them into a cart. Answers what there is too little of; then nothing was moved. A variant that does not
 * exist has none. Who waits for one of which there was nothing to be had, and now is, will be told.
 */
async function moveStock(ctx: InTransaction, lines: readonly StockLine[], move: StockMove): Promise<StockShortage[]> {
  const wanted = sumByVariant(lines);
  const variantIds = [...wanted.keys()];
  const movementIds = variantIds.map(() => newId('mov'));
  const rows = await ctx.tx.execute<StockShortage & { movementId: string | null }>(sql`
    with wanted as (
      select * from unnest(${movementIds}::text[], ${variantIds}::text[], ${[...wanted.values()]}::int[])
        as w(movement_id, variant_id, quantity)),
    present as (
      select v.id, v.stock, greatest(v.stock - v.stock_held, 0) as available,
        v.stock <= v.stock_held as sold_out,
        v.stock is not null and not v.backorder and ${move.tooLittle ?? sql`false`} as too_little
      from variants v join wanted w on w.variant_id = v.id
      where v.tenant_id = ${ctx.tenant.id}
      order by v.id for no key update of v),
    short as (
      select w.variant_id, w.quantity as requested, coalesce(p.available, 0) as available
      from wanted w left join present p on p.id = w.variant_id
      where p.id is null or p.too_little),
    moved as (
      update variants v set stock = ${move.stock ?? sql`v.stock`}, stock_held = ${move.held ?? sql`v.stock_held`}
      from present p join wanted w on w.variant_id = p.id
      where v.tenant_id = ${ctx.tenant.id} and v.id = p.id and not exists (select from short)
      returning w.movement_id, v.id, v.stock - p.stock as quantity, p.sold_out and v.stock > v.stock_held as is_back),
    ledger as (
      insert into stock_movements (tenant_id, id, variant_id, quantity, reason, order_id, at)
      select ${ctx.tenant.id}, movement_id, id, quantity, ${move.reason ?? null}::text, ${move.orderId ?? null}::text,
        ${ctx.clock.now()}::timestamptz
      from moved where quantity <> 0)
    select variant_id, requested, available, null as "movementId" from short
    union all select id, 0, 0, movement_id from moved where is_back
    order by variant_id`);
  for (const { movementId, variant_id: variantId } of rows) {
    if (movementId) enqueue(ctx, notifyRestock, { variantId, movementId, number: 1 });
  }
  return rows.flatMap(({ movementId, ...shortage }) => (movementId ? [] : [shortage]));
}

function sumByVariant(lines: readonly StockLine[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { variantId, quantity } of lines) sums.set(variantId, (sums.get(variantId) ?? 0) + quantity);
  return sums;
}

/**
 * Keep stock for an order that is not paid yet: nobody else can buy it until it is released or captured.
 * @throws DomainError conflict `insufficient_stock`, with `items` naming each variant and what is left of it
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

/** Give back what was held. Whoever keeps the hold sees to it that this happens once. */
export async function releaseStock(ctx: InTransaction, lines: readonly StockLine[]): Promise<void> {
  await moveStock(ctx, lines, { held: sql`v.stock_held - w.quantity` });
}

/**
 * What was held is sold. `false` when the owner has meanwhile counted fewer than were held: then nothing is sold, the
 * hold is gone all the same, and the order is oversold.
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

/** Sell what was not held, all or nothing: for a payment that came after its hold was released. `false`: too little. */
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

/** What was sold comes back: a refund or a cancellation of what was not shipped. */
export async function restock(ctx: InTransaction, lines: readonly StockLine[], order: StockOrder = {}): Promise<void> {
  await moveStock(ctx, lines, { ...order, stock: sql`v.stock + w.quantity`, reason: 'restocked' });
}

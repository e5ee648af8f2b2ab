import { type Sql, sql } from '#src/lib/sql.ts';
import {
  captureStock,
  holdStock,
  releaseStock,
  restock,
  type StockLine,
  sumByVariant,
  takeStock,
} from '../catalog/index.ts';
import type { InTransaction } from '../context.ts';
import {
  holdGiftCard,
  holdPromo,
  redeemGiftCard,
  redeemPromo,
  releaseGiftCard,
  releasePromo,
} from '../promotions/index.ts';
import type { Order } from './order.ts';

/** Something held for an order: a quantity of a variant, one use of a promotion, or an amount on a gift card. */
export interface Hold {
  readonly kind: 'gift_card' | 'promo' | 'stock';
  readonly subjectId: string;
  /** The quantity of stock; 0 otherwise. */
  readonly quantity: number;
  /** The amount on a gift card; 0 otherwise. */
  readonly amountCents: number;
}

/** What the stock of these lines is held by: one hold for each variant. */
export const stockHolds = (lines: readonly StockLine[]): Hold[] =>
  Array.from(sumByVariant(lines), ([subjectId, quantity]) => ({ kind: 'stock', subjectId, quantity, amountCents: 0 }));

interface HeldRow extends Hold {
  readonly customerEmail: string | null;
}

/**
 * Hold everything, each by one conditional update, in the order in which every transaction locks them: gift card,
 * promotion, stock by variant.
 *
 * @throws DomainError `gift_card_not_applicable`, `promo_not_applicable` or `insufficient_stock`
 */
export async function takeHolds(
  ctx: InTransaction,
  holds: readonly Hold[],
  customerEmail: string | null,
): Promise<void> {
  for (const { subjectId, amountCents } of ofKind(holds, 'gift_card')) {
    await holdGiftCard(ctx, { giftCardId: subjectId, amountCents });
  }
  for (const { subjectId } of ofKind(holds, 'promo')) {
    await holdPromo(ctx, { promoId: subjectId, customerEmail });
  }
  const stock = stockLines(holds);
  if (stock.length > 0) await holdStock(ctx, stock);
}

/**
 * Release what is still held for an order. Call with the order locked.
 * @param options `onlyOverdue`: only what was held as long as it was to be
 * @returns whether anything was held
 */
export async function releaseHolds(
  ctx: InTransaction,
  orderId: string,
  { onlyOverdue = false }: { onlyOverdue?: boolean } = {},
): Promise<boolean> {
  const holds = await closeHolds(
    ctx,
    orderId,
    'released',
    onlyOverdue ? sql`expires_at <= ${ctx.clock.now()}` : undefined,
  );
  for (const { subjectId, amountCents } of ofKind(holds, 'gift_card')) {
    await releaseGiftCard(ctx, { giftCardId: subjectId, amountCents });
  }
  for (const { subjectId, customerEmail } of ofKind(holds, 'promo')) {
    await releasePromo(ctx, { promoId: subjectId, customerEmail });
  }
  const stock = stockLines(holds);
  if (stock.length > 0) await releaseStock(ctx, stock);
  return holds.length > 0;
}

interface PaidOrder {
  readonly orderId: string;
  /** The email of the payer, where it is known. */
  readonly paidBy?: string | undefined;
}

/** What a paid order could not get. */
export type Shortage = 'oversold' | 'gift_card_spent';

/**
 * Capture what was held for an order: sell the stock, use the promotion, spend the gift card. Call with the order
 * locked.
 *
 * A payment can arrive after the holds were released. Then the gift card is charged if its balance covers the amount,
 * and the stock of each variant is taken if there is enough of it. The order is paid all the same.
 * @returns what was not available
 */
export async function captureHolds(ctx: InTransaction, { orderId, paidBy }: PaidOrder): Promise<Shortage[]> {
  const held = await closeHolds(ctx, orderId, 'captured');
  const shortages = await redeem(ctx, { orderId, paidBy }, held, { isHeld: true });
  if (held.length > 0) return shortages;
  return redeem(ctx, { orderId, paidBy }, await released(ctx, orderId), { isHeld: false });
}

async function redeem(
  ctx: InTransaction,
  { orderId, paidBy }: PaidOrder,
  holds: readonly HeldRow[],
  { isHeld }: { isHeld: boolean },
): Promise<Shortage[]> {
  const shortages: Shortage[] = [];
  for (const { subjectId, amountCents } of ofKind(holds, 'gift_card')) {
    const redeemed = await redeemGiftCard(ctx, { giftCardId: subjectId, amountCents, orderId, isHeld });
    if (!redeemed) shortages.push('gift_card_spent');
  }
  for (const { subjectId, customerEmail } of ofKind(holds, 'promo')) {
    await redeemPromo(ctx, { promoId: subjectId, orderId, paidBy, isHeld, customerEmail });
  }
  const stock = stockLines(holds);
  if (stock.length > 0) {
    const isCaptured = isHeld && (await captureStock(ctx, stock, { orderId }));
    if (isHeld && !isCaptured) await markStock(ctx, orderId, stock, 'released');
    if (!isCaptured && !(await takeReleased(ctx, orderId, stock))) shortages.push('oversold');
  }
  return shortages;
}

/** Sell released stock to its order, each variant of which there is enough. @returns whether that was all */
async function takeReleased(ctx: InTransaction, orderId: string, stock: readonly StockLine[]): Promise<boolean> {
  const sold: StockLine[] = [];
  // One after the other, in the order in which variants are always locked.
  const inOrder = stock.toSorted((one, other) => (one.variantId < other.variantId ? -1 : 1));
  for (const line of inOrder) if (await takeStock(ctx, [line], { orderId })) sold.push(line);
  await markStock(ctx, orderId, sold, 'captured');
  return sold.length === stock.length;
}

/**
 * Sell an oversold order what it could not get when it was paid, as far as that is in stock now: an operator ships it.
 * Call with the order locked.
 */
export async function takeMissingStock(ctx: InTransaction, order: Order): Promise<void> {
  if (order.needsAttention('oversold')) {
    await takeReleased(ctx, order.id, stockLines(await released(ctx, order.id)));
  }
}

/** Record what was sold, because only that can be restocked. */
async function markStock(
  ctx: InTransaction,
  orderId: string,
  stock: readonly StockLine[],
  state: 'captured' | 'released',
): Promise<void> {
  const variantIds = stock.map(({ variantId }) => variantId);
  await ctx.tx.execute(sql`
    update holds set state = ${state}, closed_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and kind = 'stock' and subject_id = any(${variantIds})`);
}

/**
 * Restock what an order was sold, once, unless goods of it came back: they were shipped, though the carrier may never
 * have said so, and whether they can be sold again is the owner's decision. Call with the order locked.
 */
export async function restockOrder(ctx: InTransaction, orderId: string): Promise<void> {
  const lines = await ctx.tx.execute<StockLine>(sql`
    update holds set state = 'released', closed_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and kind = 'stock' and state = 'captured'
      and not exists (
        select from returns where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}
          and status in ('received', 'refunded', 'closed'))
    returning subject_id as "variantId", quantity`);
  if (lines.length > 0) await restock(ctx, lines, { orderId });
}

async function released(ctx: InTransaction, orderId: string): Promise<HeldRow[]> {
  return ctx.tx.execute<HeldRow>(sql`
    select kind, subject_id as "subjectId", quantity, amount_cents as "amountCents", customer_email as "customerEmail"
    from holds where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and state = 'released'`);
}

/** Extend the holds while a slow payment is processed. */
export async function extendHolds(ctx: InTransaction, orderId: string, expiresAt: Date): Promise<void> {
  await ctx.tx.execute(sql`
    update holds set expires_at = ${expiresAt}
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and state = 'held' and expires_at < ${expiresAt}`);
}

async function closeHolds(
  ctx: InTransaction,
  orderId: string,
  state: 'captured' | 'released',
  onlyWhere: Sql = sql`true`,
): Promise<HeldRow[]> {
  return ctx.tx.execute<HeldRow>(sql`
    update holds set state = ${state}, closed_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and state = 'held' and ${onlyWhere}
    returning kind, subject_id as "subjectId", quantity, amount_cents as "amountCents",
      customer_email as "customerEmail"`);
}

function ofKind<Row extends Hold>(holds: readonly Row[], kind: Hold['kind']): Row[] {
  return holds
    .filter((hold) => hold.kind === kind)
    .toSorted((left, right) => (left.subjectId < right.subjectId ? -1 : 1));
}

const stockLines = (holds: readonly Hold[]): StockLine[] =>
  ofKind(holds, 'stock').map(({ subjectId, quantity }) => ({ variantId: subjectId, quantity }));

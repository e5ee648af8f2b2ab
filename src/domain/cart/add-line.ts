import { brokenConstraint, write } from '#src/database/transact.ts';
import { DomainError, notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type PurchaseType, quantityMax, type SubscriptionInterval } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { requireModule } from '../tenants/index.ts';
import { type CartRecord, changedCart, linesMax, readCart, unitPrice } from './cart.ts';
import type { CartLineInput } from './cart-input.ts';

/**
 * Add a line to a cart.
 * @returns the changed cart
 * @throws DomainError as `placeLine`
 */
export async function addLine(ctx: Context, cartId: string, input: CartLineInput): Promise<CartRecord> {
  const purchaseType = input.purchaseType ?? 'one_time';
  const isSubscription = purchaseType === 'subscription';
  return placeLine(ctx, cartId, {
    variantId: input.variantId,
    variantNamed: isSubscription || Boolean(input.variantId),
    productId: input.productId,
    quantity: input.quantity ?? 1,
    seenPriceCents: input.unitPriceCents ?? undefined,
    purchaseType,
    interval: isSubscription ? (input.subscriptionInterval ?? null) : null,
  });
}

/** A line to add: a variant, or a product that has only one variant. */
export interface PlacedLine {
  readonly lineId?: string;
  readonly variantId?: string | null | undefined;
  /** Whether the cart shows the variant's id: because the shopper chose it, or because checkout requires it. */
  readonly variantNamed: boolean;
  readonly productId?: string | null | undefined;
  readonly quantity: number;
  readonly seenPriceCents?: number | undefined;
  readonly purchaseType: PurchaseType;
  /** Null for a one-time purchase. */
  readonly interval: SubscriptionInterval | null;
}

/** What the statement found. The line was added when there is one candidate and it has a price. */
interface Found {
  readonly carts: number;
  readonly candidates: number;
  readonly priceCents: number | null;
  readonly cart: CartRecord | null;
}

/**
 * Add a line to a cart, or its quantity to the line with the same variant, purchase type and interval, in one
 * statement. The cart is locked first, so that it cannot change during its checkout.
 *
 * @returns the changed cart
 * @throws DomainError `module_disabled` for a subscription; not_found; invalid `unknown_product`, `variant_required`,
 *   `price_unavailable`, `too_many_items`
 */
export async function placeLine(ctx: Context, cartId: string, line: PlacedLine): Promise<CartRecord> {
  const { seenPriceCents = null, purchaseType, interval } = line;
  if (interval) requireModule(ctx.tenant, 'subscriptions');
  const now = ctx.clock.now();
  const [found] = await write<Found>(
    ctx,
    sql`
    cart as materialized (${activeCart(ctx, cartId)}),
    candidate as materialized (
      select v.id, ${unitPrice(sql`${purchaseType}::text`, sql`${interval}::text`)} as price_cents
      from variants v join products p on p.tenant_id = v.tenant_id and p.id = v.product_id
      where v.tenant_id = ${ctx.tenant.id} and v.removed_at is null and p.tenant_id = ${ctx.tenant.id}
        and p.status = 'published' and p.removed_at is null and ${matchesLine(line)}
      limit 2),
    line as (
      insert into cart_lines as known (tenant_id, id, cart_id, variant_id, variant_named, quantity, purchase_type,
        subscription_interval, seen_price_cents)
      select ${ctx.tenant.id}, ${line.lineId ?? newId('line')}, cart.id, candidate.id,
        ${line.variantNamed}::boolean, ${line.quantity}::int, ${purchaseType}, ${interval},
        coalesce(${seenPriceCents}::bigint, candidate.price_cents)
      from cart, candidate
      where candidate.price_cents is not null and (select count(*) from candidate) = 1
      on conflict (tenant_id, cart_id, variant_id, purchase_type, subscription_interval) do update
        set quantity = known.quantity + excluded.quantity, seen_price_cents = excluded.seen_price_cents,
          variant_named = known.variant_named or excluded.variant_named
      returning known.*, (known.xmax = 0)::int as is_new),
    changed as (
      update carts c set line_count = c.line_count + line.is_new, version = c.version + 1, updated_at = ${now}
      from line where c.tenant_id = ${ctx.tenant.id} and c.id = ${cartId}
      returning c.*)`,
    sql`
    select (select count(*) from cart)::int as carts, count(*)::int as candidates, max(price_cents) as "priceCents",
      ${changedCart(ctx, cartId, { stays: true })} as cart
    from candidate`,
  ).catch((error: unknown) => {
    throw limitError(error) ?? error;
  });
  if (!found?.carts) throw notFound('cart');
  if (found.candidates === 0) throw invalid('unknown_product', 'There is no such product for sale.');
  if (found.candidates > 1) throw invalid('variant_required', 'This product has several variants: one must be named.');
  if (found.priceCents === null) throw invalid('price_unavailable', 'This product is not sold in this way.');
  return found.cart ?? readCart(ctx, cartId);
}

/** A query for the cart if it can still be changed. It locks the cart until the transaction ends. */
export function activeCart(ctx: Context, cartId: string): Sql {
  return sql`
    select id from carts
    where tenant_id = ${ctx.tenant.id} and id = ${cartId} and status = 'active' and expires_at > ${ctx.clock.now()}
    for update`;
}

/** @returns the error for a cart or a line over its limit, or `undefined` for any other error */
function limitError(error: unknown): DomainError | undefined {
  switch (brokenConstraint(error)) {
    case 'cart_holds_100_lines':
      return invalid('too_many_items', `A cart holds at most ${linesMax} lines.`);
    case 'cart_line_holds_999':
      return invalid('invalid_request', `A line holds at most ${quantityMax}.`, [
        { path: '/quantity', code: 'maximum', detail: `makes more than ${quantityMax} in all` },
      ]);
    default:
      return undefined;
  }
}

function matchesLine({ variantId, productId }: PlacedLine): Sql {
  if (!variantId) return sql`p.id = ${productId ?? null}`;
  return productId ? sql`v.id = ${variantId} and p.id = ${productId}` : sql`v.id = ${variantId}`;
}

function invalid(code: string, message: string, errors?: readonly object[]): DomainError {
  return new DomainError('invalid', code, message, { extensions: errors ? { errors } : {} });
}

import { DomainError } from '#src/lib/errors.ts';
import { type PricedLine, priceLines } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { findPartner } from '../partners/index.ts';
import {
  calculateDiscount,
  type Discount,
  type GiftCardQuote,
  type Holder,
  type PromoQuote,
  quoteGiftCard,
  quotePromo,
  rejectGiftCard,
  rejectPromo,
} from '../promotions/index.ts';
import type { LiveSubscription } from '../subscriptions/index.ts';
import { requireModule } from '../tenants/index.ts';
import type { CheckoutInput } from './checkout-input.ts';

/** The prices of a checkout by the catalogue, and what reduces them. */
export interface CheckoutQuote {
  readonly lines: readonly PricedLine[];
  readonly subtotalCents: number;
  readonly discount: QuotedDiscount | undefined;
  readonly giftCard: GiftCardQuote | undefined;
  readonly ships: boolean;
}

/** The discount of a promo code or of a partner. */
export interface QuotedDiscount extends Discount {
  /** What the payment page calls it. */
  readonly name: string;
  /** The promo code, which is held for the order. */
  readonly promo?: Pick<PromoQuote, 'promoId' | 'code'>;
}

/** With a subscription the provider accepts this many recurring lines, and this many others. */
export const linesPerKindMax = 20;

/** The buyer's email and live subscriptions. */
export interface KnownBuyer {
  readonly email: string | null;
  readonly liveSubscriptions: readonly LiveSubscription[];
}

/**
 * Validate and price a checkout. Nothing is written and no provider is called.
 * @throws DomainError invalid with the code of the first problem, or conflict `duplicate_subscription`
 */
export async function quoteCheckout(
  ctx: Context,
  input: CheckoutInput,
  { email, liveSubscriptions }: KnownBuyer,
): Promise<CheckoutQuote> {
  const lines = await priceLines(
    ctx,
    input.items.map((item) => ({
      productSlug: item.product_slug,
      variantId: item.variant_id,
      quantity: item.quantity,
      purchaseType: item.purchase_type ?? 'one_time',
      interval: item.purchase_type === 'subscription' ? intervalOf(item.subscription_interval) : null,
    })),
  );
  rejectDisabledModules(ctx, input, lines);
  rejectImpossibleMix(lines);
  rejectDuplicates(lines, liveSubscriptions);

  const subtotalCents = lines.reduce((sum, line) => sum + totalCentsOf(line), 0);
  const holder = { customerEmail: email ?? undefined, cartId: input.cart_id };
  const discount = await quoteDiscount(ctx, input, lines, holder);
  const dueCents = subtotalCents - (discount?.discountCents ?? 0);
  const giftCard = input.gift_card_code ? await applyGiftCard(ctx, input.gift_card_code, dueCents, holder) : undefined;
  return { lines, subtotalCents, discount, giftCard, ships: lines.some((line) => line.ships) };
}

const totalCentsOf = ({ unitPriceCents, quantity }: PricedLine) => unitPriceCents * quantity;

const intervalOf = (interval: string | null | undefined) => (interval === 'quarter' ? 'quarter' : 'month');

function rejectDisabledModules({ tenant }: Context, input: CheckoutInput, lines: readonly PricedLine[]): void {
  if (lines.some(({ interval }) => interval !== null)) requireModule(tenant, 'subscriptions');
  if (input.gift_card_code) requireModule(tenant, 'gift_cards');
}

/** The provider bills all recurring lines at one interval, and limits the number of lines. */
function rejectImpossibleMix(lines: readonly PricedLine[]): void {
  const recurring = lines.filter(({ interval }) => interval !== null);
  if (new Set(recurring.map(({ interval }) => interval)).size > 1) {
    throw new DomainError(
      'invalid',
      'mixed_intervals',
      'Monthly and quarterly subscriptions cannot be bought together.',
    );
  }
  const oneTime = lines.length - recurring.length;
  if (recurring.length > 0 && (recurring.length > linesPerKindMax || oneTime > linesPerKindMax)) {
    throw tooManyLines();
  }
}

export const tooManyLines = () =>
  new DomainError(
    'invalid',
    'too_many_items',
    `A checkout with a subscription can have ${linesPerKindMax} recurring and ${linesPerKindMax} other lines.`,
  );

/** A buyer with a live subscription to a product is led to it, and not sold a second one. */
function rejectDuplicates(lines: readonly PricedLine[], liveSubscriptions: readonly LiveSubscription[]): void {
  const names = new Map(
    lines.filter(({ interval }) => interval !== null).map((line) => [line.productId, line.productName]),
  );
  const live = liveSubscriptions.filter(({ productId }) => names.has(productId));
  if (live.length === 0) return;
  const message = 'You are already subscribed to this. Manage that subscription instead.';
  throw new DomainError('conflict', 'duplicate_subscription', message, {
    extensions: {
      conflicts: live.map(({ productId, paymentSubscriptionId }) => ({
        product_id: productId,
        product_name: names.get(productId),
        payment_subscription_id: paymentSubscriptionId,
      })),
    },
  });
}

/** A promo code replaces the discount of the partner. An unknown partner code is ignored, as where it is credited. */
async function quoteDiscount(
  ctx: Context,
  { promo_code: promoCode, partner_code: partnerCode }: CheckoutInput,
  lines: readonly PricedLine[],
  holder: Holder,
): Promise<QuotedDiscount | undefined> {
  if (promoCode) return applyPromo(ctx, promoCode, lines, holder);
  return partnerCode ? applyPartner(ctx, partnerCode, lines) : undefined;
}

/** @returns `undefined` when no partner has this code, or gives no discount on these lines */
async function applyPartner(
  ctx: Context,
  code: string,
  lines: readonly PricedLine[],
): Promise<QuotedDiscount | undefined> {
  const partner = await findPartner(ctx, code);
  if (!partner) return undefined;
  const discount = calculateDiscount(
    { type: 'percent', percent: partner.discountPercent, valueCents: null, currency: ctx.tenant.currency },
    lines.map(totalCentsOf),
  );
  return discount.discountCents > 0 ? { name: partner.name, ...discount } : undefined;
}

async function applyPromo(
  ctx: Context,
  code: string,
  lines: readonly PricedLine[],
  holder: Holder,
): Promise<QuotedDiscount> {
  const quote = await quotePromo(ctx, {
    code,
    currency: ctx.tenant.currency,
    lines: lines.map((line) => ({ productSlug: line.productSlug, totalCents: totalCentsOf(line) })),
    ...holder,
  });
  if (quote.reason !== null) throw rejectPromo(quote.reason);
  const { discountCents, lineDiscountsCents, freeShipping } = quote;
  return { name: quote.code, promo: quote, discountCents, lineDiscountsCents, freeShipping };
}

async function applyGiftCard(
  ctx: Context,
  code: string,
  orderTotalCents: number,
  holder: Holder,
): Promise<GiftCardQuote> {
  const quote = await quoteGiftCard(ctx, { code, orderTotalCents, ...holder });
  if (quote.reason !== null) throw rejectGiftCard(quote.reason);
  return quote;
}

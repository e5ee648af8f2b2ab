import { minimumChargeOf } from '#src/lib/currency.ts';
import { minutes } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { centsMax } from '#src/lib/schema.ts';
import { lineName, type PricedLine } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { type Hold, type NewOrder, stockHolds } from '../orders/index.ts';
import { amountTooLarge, amountTooSmall, type SellingTerms } from '../payments/index.ts';
import type { SessionLine, SessionRequest } from '../ports/payment-gateway.ts';
import { fillReturnUrl } from '../return-url.ts';
import type { ShippingOptions } from '../shipping/index.ts';
import type { CheckoutInput } from './checkout-input.ts';
import { type CheckoutQuote, linesPerKindMax, tooManyLines } from './quote-checkout.ts';

/** The settings of the store that a session is created with. */
export type SessionTerms = Pick<SellingTerms, 'sessionLifetimeMs' | 'automaticTax' | 'shipping'>;

/** The order and the request for its session, before either is stored. */
export interface OrderPlan {
  readonly order: Omit<NewOrder, 'number'>;
  readonly request: Omit<SessionRequest, 'customerId'>;
  readonly expiresAt: Date;
}

/** How long a repeated request with an idempotency key continues the order of an earlier attempt. */
export const continuableMs = minutes(10);

/**
 * The provider rejects a session that ends within half an hour, also when it is requested again to continue an order.
 * Where a store wants its sessions shorter, they are closed at the provider when their own time is over.
 */
const providerLifetimeMinMs = minutes(35) + continuableMs;

/** Where a store ships that has not configured its countries. */
const defaultCountries =
  'US CA GB IE AU NZ AT BE BG CH CY CZ DE DK EE ES FI FR GR HR HU IS IT JP LI LT LU LV MT MX NL NO PL PT RO SE SG SI SK';

/**
 * Plan the order of a quote. This only calculates: nothing is read, written or fetched.
 * @throws DomainError invalid `amount_too_small`, or `invalid_request` for too large a total or a foreign return URL
 */
export function planOrder(
  ctx: Context,
  input: Omit<CheckoutInput, 'items'>,
  quote: CheckoutQuote,
  terms: SessionTerms,
  email: string | null,
): OrderPlan {
  const { lines, discount, ships } = quote;
  const shipping = ships ? terms.shipping : null;
  const mode = lines.some(({ interval }) => interval !== null) ? 'subscription' : 'payment';
  const options = shippingChoices(shipping, quote);
  const amounts = amountsOf(ctx, quote, mode, options);
  const { discountCents, giftCardCents, shippingCents } = amounts;
  const now = ctx.clock.now().getTime();
  const orderId = newId('ord');
  const countries = shipping?.countries ?? defaultCountries.split(' ');
  return {
    expiresAt: new Date(now + terms.sessionLifetimeMs),
    order: {
      id: orderId,
      currency: ctx.tenant.currency,
      email,
      ...amounts,
      shippingAddress: null,
      promoCode: discount?.promo?.code ?? null,
      partnerCode: input.partner_code ?? null,
      cartId: input.cart_id ?? null,
      metadata: input.metadata ?? {},
      items: lines.map((line, index) => itemOf(line, discount?.lineDiscountsCents[index] ?? 0)),
      holds: holdsOf(quote),
      holdsExpireAt: new Date(now + terms.sessionLifetimeMs),
    },
    request: {
      tenantId: ctx.tenant.id,
      orderId,
      environment: ctx.settings.appMode,
      mode,
      currency: ctx.tenant.currency,
      lines: [...lines.map(sessionLineOf), ...shippingLines(lines, shippingCents)],
      discountCents: discountCents + giftCardCents,
      discountName: [discount?.name, giftCardCents > 0 && 'Gift card'].filter(Boolean).join(' + ') || null,
      shipping: ships ? { countries, options: mode === 'payment' ? options : [] } : null,
      customerEmail: email,
      returnUrl: fillReturnUrl(ctx, 'return_url', input.return_url ?? ctx.tenant.storefrontUrl, orderId),
      cancelUrl: fillReturnUrl(ctx, 'cancel_url', input.cancel_url ?? ctx.tenant.storefrontUrl, orderId),
      expiresAt: Math.floor((now + Math.max(terms.sessionLifetimeMs, providerLifetimeMinMs)) / 1000),
      automaticTax: terms.automaticTax,
    },
  };
}

type ShippingChoice = Omit<ShippingOptions['options'][number], 'freeOverCents'>;

/**
 * In subscription mode the cheapest shipping is a part of the total; otherwise the shopper chooses it at the provider.
 * @throws DomainError invalid `amount_too_small`, or `invalid_request` for too large a total
 */
function amountsOf(
  { tenant: { currency } }: Context,
  { subtotalCents, discount, giftCard }: CheckoutQuote,
  mode: SessionRequest['mode'],
  options: readonly ShippingChoice[],
) {
  const discountCents = discount?.discountCents ?? 0;
  const giftCardCents = giftCard?.appliedCents ?? 0;
  const optionsCents = options.length > 0 ? options.map(({ amountCents }) => amountCents) : [0];
  const shippingCents = mode === 'subscription' ? Math.min(...optionsCents) : 0;
  const totalCents = subtotalCents - discountCents - giftCardCents + shippingCents;
  const chosenCents = mode === 'payment' ? optionsCents : [0];
  const smallestCents = totalCents + Math.min(...chosenCents);
  // Zero is fine: a gift card may cover everything.
  if (smallestCents > 0 && smallestCents < minimumChargeOf(currency)) throw amountTooSmall();
  if (subtotalCents + shippingCents + Math.max(...chosenCents) > centsMax) throw amountTooLarge();
  return { subtotalCents, discountCents, giftCardCents, shippingCents, totalCents };
}

/** The shipping options of the shopper. Free shipping makes only the cheapest one free. */
function shippingChoices(
  shipping: ShippingOptions | null,
  { subtotalCents, discount }: CheckoutQuote,
): ShippingChoice[] {
  const goodsCents = subtotalCents - (discount?.discountCents ?? 0);
  const choices = (shipping?.options ?? []).map(({ name, amountCents, freeOverCents }) => ({
    name,
    amountCents: freeOverCents !== null && goodsCents >= freeOverCents ? 0 : amountCents,
  }));
  const [cheapest] = choices.toSorted((left, right) => left.amountCents - right.amountCents);
  return choices.map((choice) =>
    discount?.freeShipping && choice === cheapest ? { ...choice, amountCents: 0 } : choice,
  );
}

/**
 * Recurring items are shipped each period, others once, so the shipping line recurs with them. Where its kind has no
 * line left, it is a line of the other kind.
 */
function shippingLines(lines: readonly PricedLine[], shippingCents: number): SessionLine[] {
  if (shippingCents === 0) return [];
  const recurring = lines.filter(({ interval }) => interval !== null);
  const sent = recurring.find(({ ships }) => ships);
  const interval = sent && recurring.length < linesPerKindMax ? sent.interval : null;
  if (interval === null && lines.length - recurring.length >= linesPerKindMax) throw tooManyLines();
  const line = { productId: 'shipping', variantId: null, name: 'Shipping', imageUrl: null, quantity: 1, interval };
  return [{ ...line, unitPriceCents: shippingCents }];
}

function sessionLineOf(line: PricedLine): SessionLine {
  return {
    productId: line.productId,
    variantId: line.variantNamed ? line.variantId : null,
    name: lineName(line),
    imageUrl: line.imageUrl,
    quantity: line.quantity,
    unitPriceCents: line.unitPriceCents,
    interval: line.interval,
  };
}

function itemOf(line: PricedLine, discountCents: number): NewOrder['items'][number] {
  return {
    productId: line.productId,
    productSlug: line.productSlug,
    variantId: line.variantId,
    variantNamed: line.variantNamed,
    sku: line.sku,
    name: lineName(line),
    quantity: line.quantity,
    unitPriceCents: line.unitPriceCents,
    discountCents,
    purchaseType: line.purchaseType,
    subscriptionInterval: line.interval,
    weightOz: line.weightOz,
    ships: line.ships,
  };
}

function holdsOf({ lines, discount, giftCard }: CheckoutQuote): Hold[] {
  const promoId = discount?.promo?.promoId;
  return [
    ...(giftCard?.giftCardId && giftCard.appliedCents > 0
      ? [
          {
            kind: 'gift_card' as const,
            subjectId: giftCard.giftCardId,
            quantity: 0,
            amountCents: giftCard.appliedCents,
          },
        ]
      : []),
    ...(promoId ? [{ kind: 'promo' as const, subjectId: promoId, quantity: 0, amountCents: 0 }] : []),
    ...stockHolds(lines),
  ];
}

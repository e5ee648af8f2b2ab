import type Stripe from 'stripe';

import type { SessionLine, SessionRequest } from '#src/domain/ports/payment-gateway.ts';
import { oneLine } from '#src/lib/one-line.ts';
import { normalizeUrl } from '#src/lib/url.ts';
import { orderMetadata } from './metadata.ts';

type Params = Stripe.Checkout.SessionCreateParams;

/** The coupon's id is derived from the order's, so that a repeated creation finds the first one. */
export const couponIdOf = ({ orderId }: Pick<SessionRequest, 'orderId'>): string => `discount_${orderId}`;

export function couponParamsOf(request: SessionRequest): Stripe.CouponCreateParams {
  return {
    id: couponIdOf(request),
    amount_off: request.discountCents,
    currency: request.currency.toLowerCase(),
    duration: 'once',
    max_redemptions: 1,
    redeem_by: request.expiresAt + 3600,
    ...(oneLine(request.discountName ?? '') && { name: oneLine(request.discountName ?? '', 40) }),
    metadata: orderMetadata(request),
  };
}

/**
 * The same request always gives the same parameters in the same order, because Stripe compares them with the first ones
 * of the idempotency key. Stripe does not copy metadata, so it is set on the session and on what the session creates.
 */
export function sessionParamsOf(request: SessionRequest): Params {
  const metadata = orderMetadata(request);
  return {
    mode: request.mode,
    line_items: request.lines.map((line) => lineOf(line, request.currency)),
    ...(request.discountCents > 0 && { discounts: [{ coupon: couponIdOf(request) }] }),
    success_url: request.returnUrl,
    cancel_url: request.cancelUrl,
    client_reference_id: request.orderId,
    expires_at: request.expiresAt,
    metadata,
    ...(request.mode === 'payment' ? { payment_intent_data: { metadata } } : { subscription_data: { metadata } }),
    ...customerOf(request),
    ...(request.shipping && shippingOf(request.shipping, request)),
    ...(request.automaticTax && { automatic_tax: { enabled: true } }),
  };
}

function lineOf(line: SessionLine, currency: string): NonNullable<Params['line_items']>[number] {
  const metadata = {
    platform_product_id: line.productId,
    ...(line.variantId && { platform_variant_id: line.variantId }),
  };
  return {
    quantity: line.quantity,
    metadata,
    price_data: {
      currency: currency.toLowerCase(),
      unit_amount: line.unitPriceCents,
      product_data: {
        name: oneLine(line.name, 250) || line.productId,
        ...(line.imageUrl && { images: [normalizeUrl(line.imageUrl)] }),
        metadata,
      },
      ...(line.interval && { recurring: { interval: 'month', interval_count: line.interval === 'quarter' ? 3 : 1 } }),
    },
  };
}

function customerOf({ customerId, customerEmail, automaticTax, shipping }: SessionRequest): Params {
  if (!customerId) return customerEmail ? { customer_email: customerEmail } : {};
  return {
    customer: customerId,
    ...((automaticTax || shipping) && {
      customer_update: {
        ...(automaticTax && { address: 'auto' }),
        ...(shipping && { shipping: 'auto', name: 'auto' }),
      },
    }),
  };
}

function shippingOf({ countries, options }: NonNullable<SessionRequest['shipping']>, request: SessionRequest): Params {
  type Country = NonNullable<Params['shipping_address_collection']>['allowed_countries'][number];
  return {
    shipping_address_collection: {
      allowed_countries: countries.filter((country): country is Country => country.length === 2),
    },
    phone_number_collection: { enabled: true },
    ...(options.length > 0 && {
      shipping_options: options.slice(0, 5).map(({ name, amountCents }) => ({
        shipping_rate_data: {
          display_name: oneLine(name, 100) || 'Shipping',
          type: 'fixed_amount',
          fixed_amount: { amount: amountCents, currency: request.currency.toLowerCase() },
        },
      })),
    }),
  };
}

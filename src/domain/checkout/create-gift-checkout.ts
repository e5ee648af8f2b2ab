import { normaliseEmail } from '#src/lib/email-address.ts';
import { Email, IntegerLike, OmittableOrEmpty, Slug, type Static, Text, Type } from '#src/lib/schema.ts';
import { priceLines } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { ReturnUrl } from '../return-url.ts';
import { type CheckoutSessionView, checkOut } from './create-checkout-session.ts';
import type { CheckoutQuote } from './quote-checkout.ts';

/** The body of POST /subscriptions/gift-checkout. */
export const GiftCheckoutInput = Type.Object({
  product_slug: Slug,
  variant_id: Text(100, { examples: ['var_01m7xfs208fk1sctzyr3afnpz3'] }),
  months: IntegerLike({ minimum: 1, maximum: 12 }, { examples: [3] }),
  recipient_email: Email,
  recipient_name: OmittableOrEmpty(Text(200, { examples: ['Grace'] })),
  message: OmittableOrEmpty(Text(1000, { examples: ['Enjoy every cup.'] })),
  return_url: OmittableOrEmpty(ReturnUrl),
  cancel_url: OmittableOrEmpty(ReturnUrl),
});
export type GiftCheckoutInput = Static<typeof GiftCheckoutInput>;

/**
 * Create an order for some months of a subscription product, paid at once as a gift. Nothing recurs; the recipient gets
 * an email once it is paid.
 *
 * @throws DomainError as POST /checkout/sessions does
 */
export async function createGiftCheckout(
  ctx: Context,
  input: GiftCheckoutInput,
  { requestKey }: { requestKey?: string | null | undefined } = {},
): Promise<CheckoutSessionView> {
  const { months, return_url, cancel_url, recipient_email } = input;
  const quote = await quoteGift(ctx, input);
  return checkOut(ctx, {
    input: { return_url: return_url ?? null, cancel_url: cancel_url ?? null },
    requestKey,
    quote: async () => quote,
    gift: {
      recipient_email: normaliseEmail(recipient_email),
      recipient_name: input.recipient_name?.trim() || null,
      message: input.message ?? null,
      product_name: quote.lines[0]?.productName ?? '',
      months,
    },
  });
}

/** Each month costs as much as a month of the subscription. */
async function quoteGift(
  ctx: Context,
  { product_slug, variant_id, months }: GiftCheckoutInput,
): Promise<CheckoutQuote> {
  const line = {
    productSlug: product_slug,
    variantId: variant_id,
    quantity: months,
    purchaseType: 'subscription',
    interval: 'month',
  } as const;
  const priced = await priceLines(ctx, [line], (_, field) =>
    field === 'variant_id' ? '/variant_id' : '/product_slug',
  );
  const lines = priced.map((line) => ({ ...line, purchaseType: 'one_time' as const, interval: null }));
  return {
    lines,
    subtotalCents: lines.reduce((sum, { unitPriceCents, quantity }) => sum + unitPriceCents * quantity, 0),
    discount: undefined,
    giftCard: undefined,
    ships: lines.some((line) => line.ships),
  };
}

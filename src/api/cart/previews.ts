import { defineRoute, largeBodyBytesMax, toDual } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import {
  GiftCardQuoteView,
  PromoQuoteView,
  presentGiftCardQuote,
  presentPromoQuote,
  quoteGiftCard,
  quotePromo,
} from '#src/domain/promotions/index.ts';
import { CentsLike, Omittable, Text, Type } from '#src/lib/schema.ts';

export const postApplyPromo = defineRoute({
  operationId: 'previewPromoCode',
  method: 'post',
  path: '/api/v1/cart/apply-promo',
  tag: 'cart',
  summary: 'Preview a promo code on a cart.',
  audience: toDual('cart:write'),
  limit: 'promo',
  body: Type.Object({
    code: Text(200, { examples: ['WELCOME10'] }),
    subtotalCents: CentsLike,
    customerEmail: Omittable(Type.String({ maxLength: 254, examples: ['ada@example.com'] })),
    items: Omittable(
      Type.Array(Type.Object({ productSlug: Text(100), lineTotalCents: CentsLike }), {
        maxItems: 100,
        description:
          'The items of the cart, as the cart returns them. Without them, a code that is limited to some products is ' +
          'checked as if the whole subtotal were of those products.',
      }),
    ),
  }),
  bodyBytesMax: largeBodyBytesMax,
  responses: { 200: PromoQuoteView },
  async handle({ ctx, body }) {
    const { code, subtotalCents, customerEmail, items } = body;
    const lines = items?.map((item) => ({ productSlug: item.productSlug, totalCents: item.lineTotalCents }));
    const quote = await quotePromo(ctx, {
      code,
      currency: ctx.tenant.currency,
      customerEmail: customerEmail || undefined,
      ...(lines ? { lines } : { subtotalCents }),
    });
    return ok(presentPromoQuote(quote, subtotalCents));
  },
});

export const postApplyGiftCard = defineRoute({
  operationId: 'previewGiftCard',
  method: 'post',
  path: '/api/v1/cart/apply-gift-card',
  tag: 'cart',
  summary: 'Preview what a gift card pays of an order.',
  audience: toDual('cart:write'),
  limit: 'gift_card',
  module: 'gift_cards',
  body: Type.Object({ code: Text(200, { examples: ['ABCD-EFGH-JKLM-NPQR'] }), orderTotal: CentsLike }),
  responses: { 200: GiftCardQuoteView },
  async handle({ ctx, caller, body }) {
    const quote = await quoteGiftCard(ctx, { code: body.code, orderTotalCents: body.orderTotal });
    return ok(presentGiftCardQuote(quote, { withBalance: caller.key?.kind === 'secret' }));
  },
});

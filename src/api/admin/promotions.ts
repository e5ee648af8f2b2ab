import { defineRoute, largeBodyBytesMax } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import { auditedCreation, auditedRemoval, auditedUpdate } from '#src/domain/audit/index.ts';
import type { Context } from '#src/domain/context.ts';
import {
  createGiftCard,
  disableGiftCard,
  GiftCardInput,
  GiftCardView,
  listGiftCards,
  listPromos,
  normalisePromoCode,
  PromoCodeInput,
  PromoCodeView,
  PromoTermsInput,
  presentGiftCard,
  presentPromo,
  readGiftCard,
  readPromo,
  removePromoCode,
  savePromoCode,
} from '#src/domain/promotions/index.ts';
import { Done, Id, PageOf, PageQuery, Text, Type } from '#src/lib/schema.ts';
import { reading, writing } from './audience.ts';

const Named = Type.Object({ code: PromoCodeInput.properties.code });
const PromoResponse = Type.Object({ promo_code: PromoCodeView });

const promo = (written: string) => ({
  kind: 'promo_code',
  name: normalisePromoCode(written),
  async view(ctx: Context) {
    const promo = await readPromo(ctx, written);
    return promo && presentPromo(promo);
  },
});

const viewOfCard = (id: string) => async (ctx: Context) => {
  const card = await readGiftCard(ctx, id);
  return card && presentGiftCard(card);
};

export const getPromoCodes = defineRoute({
  ...reading('promotions'),
  operationId: 'admin.listPromoCodes',
  method: 'get',
  path: '/api/v1/admin/promo-codes',
  summary: 'List promo codes with their usage, newest first.',
  query: Type.Object({
    q: Type.Optional(
      Text(200, {
        description: 'How the code begins, capitals or not. Those that are found are sorted by it.',
        examples: ['SPRING'],
      }),
    ),
    ...PageQuery,
  }),
  responses: { 200: PageOf('promo_codes', PromoCodeView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listPromos(ctx, query);
    return ok({ promo_codes: rows.map(presentPromo), cursor });
  },
});

export const postPromoCode = defineRoute({
  ...writing('promotions'),
  operationId: 'admin.createPromoCode',
  method: 'post',
  path: '/api/v1/admin/promo-codes',
  summary: 'Create a promo code.',
  body: PromoCodeInput,
  bodyBytesMax: largeBodyBytesMax,
  responses: { 201: PromoResponse },
  async handle({ ctx, body }) {
    const promoCode = await auditedCreation(ctx, {
      ...promo(body.code),
      nameField: '/code',
      change: (ctx) => savePromoCode(ctx, body),
    });
    return created({ promo_code: promoCode });
  },
});

export const putPromoCode = defineRoute({
  ...writing('promotions'),
  operationId: 'admin.replacePromoCode',
  method: 'put',
  path: '/api/v1/admin/promo-codes/:code',
  summary: 'Replace a promo code. Its usage stays counted.',
  params: Named,
  body: PromoTermsInput,
  bodyBytesMax: largeBodyBytesMax,
  errors: ['version_conflict'],
  responses: { 200: PromoResponse },
  async handle({ ctx, params: { code }, body: { version, ...terms } }) {
    const promoCode = await auditedUpdate(
      ctx,
      { ...promo(code), change: (ctx) => savePromoCode(ctx, { ...terms, code }) },
      { version },
    );
    return ok({ promo_code: promoCode });
  },
});

export const deletePromoCode = defineRoute({
  ...writing('promotions'),
  operationId: 'admin.deletePromoCode',
  method: 'delete',
  path: '/api/v1/admin/promo-codes/:code',
  summary: 'Remove a promo code. Open checkouts that use it keep their discount.',
  params: Named,
  responses: { 200: Done },
  async handle({ ctx, params: { code } }) {
    await auditedRemoval(ctx, { ...promo(code), change: (ctx) => removePromoCode(ctx, code) });
    return ok({ ok: true });
  },
});

export const getGiftCards = defineRoute({
  ...reading('promotions'),
  operationId: 'admin.listGiftCards',
  method: 'get',
  path: '/api/v1/admin/gift-cards',
  summary: 'List gift cards, newest first. Codes are not stored and cannot be shown.',
  query: Type.Object({
    q: Type.Optional(
      Text(4, {
        description: 'The last four characters of the code. All of it does not belong in a URL, which may be logged.',
        examples: ['NPQR'],
      }),
    ),
    ...PageQuery,
  }),
  responses: { 200: PageOf('gift_cards', GiftCardView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listGiftCards(ctx, query);
    return ok({ gift_cards: rows.map(presentGiftCard), cursor });
  },
});

export const postGiftCard = defineRoute({
  ...writing('promotions'),
  operationId: 'admin.createGiftCard',
  method: 'post',
  path: '/api/v1/admin/gift-cards',
  verified: true,
  idempotent: 'atomic',
  coalesced: true,
  summary: 'Create a gift card. Its code is only returned here.',
  body: Type.Object({ balance_cents: GiftCardInput.properties.balance_cents }),
  responses: {
    201: Type.Object({ gift_card: GiftCardView, code: Type.String({ examples: ['ABCD-EFGH-JKLM-NPQR'] }) }),
  },
  async handle({ ctx, body }) {
    const { card, code } = await createGiftCard(ctx, { balanceCents: body.balance_cents });
    return created({ gift_card: presentGiftCard(card), code });
  },
});

export const postGiftCardDisable = defineRoute({
  ...writing('promotions'),
  operationId: 'admin.disableGiftCard',
  method: 'post',
  path: '/api/v1/admin/gift-cards/:id/disable',
  idempotent: 'atomic',
  summary: 'Disable a gift card. Open checkouts keep the amount that they hold.',
  params: Type.Object({ id: Id('gift') }),
  responses: { 200: Type.Object({ gift_card: GiftCardView }) },
  async handle({ ctx, params: { id } }) {
    const card = await auditedUpdate(ctx, {
      kind: 'gift_card',
      name: id,
      view: viewOfCard(id),
      change: (ctx) => disableGiftCard(ctx, { giftCardId: id }),
    });
    return ok({ gift_card: card });
  },
});

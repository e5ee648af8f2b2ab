import { defineRoute, toDual } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import {
  addLine,
  CartInput,
  CartLineInput,
  CartLinePatch,
  CartView,
  changeLine,
  createCart,
  presentCart,
  readCart,
  removeLine,
} from '#src/domain/cart/index.ts';
import { Id, Type } from '#src/lib/schema.ts';

const CartResponse = Type.Object({ cart: CartView });
const CartPath = Type.Object({ id: Id('cart') });
const LinePath = Type.Object({ id: Id('cart'), itemId: Id('line') });
const writing = { tag: 'cart', audience: toDual('cart:write'), limit: 'cart', idempotent: 'atomic' } as const;

export const postCart = defineRoute({
  ...writing,
  operationId: 'createCart',
  method: 'post',
  path: '/api/v1/cart',
  summary: 'Create a cart. It expires after 30 days.',
  body: CartInput,
  errors: ['currency_mismatch'],
  responses: { 201: CartResponse },
  async handle({ ctx, body }) {
    return created({ cart: presentCart(await createCart(ctx, body)) });
  },
});

export const getCart = defineRoute({
  operationId: 'getCart',
  method: 'get',
  path: '/api/v1/cart/:id',
  tag: 'cart',
  summary: 'Read a cart with current prices.',
  audience: toDual('cart:read'),
  limit: 'reads',
  params: CartPath,
  responses: { 200: CartResponse },
  async handle({ ctx, params }) {
    return ok({ cart: presentCart(await readCart(ctx, params.id)) });
  },
});

export const postCartItem = defineRoute({
  ...writing,
  operationId: 'addCartItem',
  method: 'post',
  path: '/api/v1/cart/:id/items',
  summary: 'Add an item to a cart. An equal item increases the quantity of its line.',
  params: CartPath,
  body: CartLineInput,
  errors: [
    'module_disabled',
    'not_found',
    'unknown_product',
    'variant_required',
    'price_unavailable',
    'too_many_items',
  ],
  responses: { 201: CartResponse },
  async handle({ ctx, params, body }) {
    return created({ cart: presentCart(await addLine(ctx, params.id, body)) });
  },
});

export const patchCartItem = defineRoute({
  ...writing,
  operationId: 'updateCartItem',
  method: 'patch',
  path: '/api/v1/cart/:id/items/:itemId',
  summary: 'Change the quantity or purchase type of a cart item. Quantity 0 removes it.',
  params: LinePath,
  body: CartLinePatch,
  errors: ['module_disabled', 'not_found', 'unknown_product', 'price_unavailable'],
  responses: { 200: CartResponse },
  async handle({ ctx, params, body }) {
    return ok({ cart: presentCart(await changeLine(ctx, { cartId: params.id, lineId: params.itemId }, body)) });
  },
});

export const deleteCartItem = defineRoute({
  ...writing,
  operationId: 'removeCartItem',
  method: 'delete',
  path: '/api/v1/cart/:id/items/:itemId',
  summary: 'Remove an item from a cart.',
  params: LinePath,
  responses: { 200: CartResponse },
  async handle({ ctx, params }) {
    return ok({ cart: presentCart(await removeLine(ctx, { cartId: params.id, lineId: params.itemId })) });
  },
});

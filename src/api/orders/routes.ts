import { defineRoute, toDual, toPublic } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { findOrder, findOrderByNumber, OrderNumber, OrderView, readOrder } from '#src/domain/orders/index.ts';
import { found } from '#src/lib/errors.ts';
import { Email, Id, Type } from '#src/lib/schema.ts';

const responses = { 200: Type.Object({ order: OrderView }) };

export const getOrderLookup = defineRoute({
  operationId: 'lookUpOrder',
  method: 'get',
  path: '/api/v1/orders/lookup',
  tag: 'orders',
  summary: 'Find an order by its number and email.',
  audience: toPublic,
  limit: 'orders',
  query: Type.Object({ order_number: OrderNumber, email: Email }),
  responses,
  errors: ['not_found'],
  async handle({ ctx, query }) {
    return ok({ order: await findOrderByNumber(ctx, { orderNumber: query.order_number, email: query.email }) });
  },
});

/** Callers other than the store's own server must know the email: order ids are in links, and links are shared. */
export const getOrder = defineRoute({
  operationId: 'getOrder',
  method: 'get',
  path: '/api/v1/orders/:orderId',
  tag: 'orders',
  summary: 'Read an order for its confirmation or account page.',
  audience: toDual('orders:read'),
  limit: 'orders',
  params: Type.Object({ orderId: Id('ord') }),
  query: Type.Object({ email: Type.Optional(Type.String({ trimmed: true, asciiDomain: true, maxLength: 254 })) }),
  responses,
  async handle({ ctx, params, query, caller }) {
    const { orderId: id } = params;
    const isTrusted = caller.key?.kind === 'secret';
    const order = isTrusted
      ? found(await readOrder(ctx, id), 'order')
      : await findOrder(ctx, { id, email: query.email ?? '' });
    return ok({ order });
  },
});

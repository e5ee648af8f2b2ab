import { defineRoute, largeBodyBytesMax, toPublic } from '#src/api/lib/define-route.ts';
import { created } from '#src/api/lib/reply.ts';
import { presentReturn, ReturnInput, ReturnView, requestReturn } from '#src/domain/returns/index.ts';
import { Type } from '#src/lib/schema.ts';

export const postReturn = defineRoute({
  operationId: 'createReturn',
  method: 'post',
  path: '/api/v1/returns',
  tag: 'returns',
  summary: 'Request a return by order number and email.',
  audience: toPublic,
  body: ReturnInput,
  bodyBytesMax: largeBodyBytesMax,
  limit: 'returns',
  guesses: [{ field: 'email', limit: 'orders', wrong: 'not_found' }],
  idempotent: 'atomic',
  errors: ['not_found', 'return_not_allowed'],
  responses: { 201: Type.Object({ return: ReturnView }) },
  async handle({ ctx, body: { order_number: orderNumber, email, items } }) {
    return created({ return: presentReturn(await requestReturn(ctx, { orderNumber, email, items })) });
  },
});

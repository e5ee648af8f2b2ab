import { defineRoute } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import {
  approveReturn,
  closeReturn,
  listReturns,
  presentReturn,
  ReturnView,
  receiveReturn,
  refundReturn,
  rejectReturn,
  returnStatuses,
} from '#src/domain/returns/index.ts';
import { Cents, Email, Id, Omittable, PageOf, PageQuery, Text, Type } from '#src/lib/schema.ts';
import { reading, searched, writing } from './audience.ts';

const note = Omittable(
  Text(1000, {
    description: 'A message for the shopper, sent with the email.',
    examples: ['Thank you.'],
  }),
);

const deciding = {
  ...writing('returns'),
  method: 'post',
  params: Type.Object({ id: Id('ret') }),
  body: Type.Object({ note }),
  errors: ['return_not_allowed'],
  responses: { 200: Type.Object({ return: ReturnView }) },
} as const;

export const getReturns = defineRoute({
  ...reading('returns'),
  operationId: 'admin.listReturns',
  method: 'get',
  path: '/api/v1/admin/returns',
  summary: 'List returns, newest first. `?status=requested` lists those to decide.',
  description: searched('returns'),
  query: Type.Object({
    status: Type.Optional(Type.Enum([...returnStatuses])),
    email: Type.Optional(Email),
    ...PageQuery,
  }),
  responses: { 200: PageOf('returns', ReturnView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listReturns(ctx, query);
    return ok({ returns: rows.map(presentReturn), cursor });
  },
});

export const postApproval = defineRoute({
  ...deciding,
  operationId: 'admin.approveReturn',
  path: '/api/v1/admin/returns/:id/approve',
  summary: 'Approve a return.',
  async handle({ ctx, params, body }) {
    return ok({ return: presentReturn(await approveReturn(ctx, { returnId: params.id, note: body.note })) });
  },
});

export const postRejection = defineRoute({
  ...deciding,
  operationId: 'admin.rejectReturn',
  path: '/api/v1/admin/returns/:id/reject',
  summary: 'Reject a return. Its items can be requested in another return.',
  async handle({ ctx, params, body }) {
    return ok({ return: presentReturn(await rejectReturn(ctx, { returnId: params.id, note: body.note })) });
  },
});

export const postReceipt = defineRoute({
  ...deciding,
  operationId: 'admin.receiveReturn',
  path: '/api/v1/admin/returns/:id/receive',
  summary: 'Record that the goods of a return were received. Their stock is not changed.',
  async handle({ ctx, params, body }) {
    return ok({ return: presentReturn(await receiveReturn(ctx, { returnId: params.id, note: body.note })) });
  },
});

export const postClosing = defineRoute({
  ...deciding,
  operationId: 'admin.closeReturn',
  path: '/api/v1/admin/returns/:id/close',
  summary: 'Close a return that was refunded or replaced, or whose goods never arrived.',
  async handle({ ctx, params, body }) {
    return ok({ return: presentReturn(await closeReturn(ctx, { returnId: params.id, note: body.note })) });
  },
});

export const postReturnRefund = defineRoute({
  ...deciding,
  ...writing('refunds'),
  operationId: 'admin.refundReturn',
  path: '/api/v1/admin/returns/:id/refund',
  idempotent: 'atomic',
  summary: 'Refund a return: what was paid for the goods, or an amount. A worker issues the refund.',
  body: Type.Object({
    note,
    amount_cents: Omittable(Type.Unsafe<number>({ ...Cents, description: '0 if it was refunded in another way.' })),
  }),
  errors: ['return_not_allowed', 'refund_not_allowed', 'second_factor_required'],
  async handle({ ctx, params, body: { note, amount_cents: amountCents } }) {
    return ok({ return: presentReturn(await refundReturn(ctx, { returnId: params.id, note, amountCents })) });
  },
});

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
import { reading, writing } from './audience.ts';

const note = Omittable(
  Text(1000, {
    description: 'For the shopper, in the mail that says so.',
    examples: ['Thank you.'],
  }),
);

const deciding = {
  ...writing,
  method: 'post',
  params: Type.Object({ id: Id('ret') }),
  responses: { 200: Type.Object({ return: ReturnView }) },
} as const;
const Decision = Type.Object({ note });

export const getReturns = defineRoute({
  ...reading,
  method: 'get',
  path: '/api/v1/admin/returns',
  summary: 'List the returns, the newest first: `?status=requested` are those to be decided.',
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
  path: '/api/v1/admin/returns/:id/approve',
  summary: 'Let the shopper send it back.',
  body: Decision,
  errors: ['return_not_allowed'],
  async handle({ ctx, params, body }) {
    return ok({ return: presentReturn(await approveReturn(ctx, { returnId: params.id, note: body.note })) });
  },
});

export const postRejection = defineRoute({
  ...deciding,
  path: '/api/v1/admin/returns/:id/reject',
  summary: 'Do not take it back. Another return may ask for the same.',
  body: Decision,
  errors: ['return_not_allowed'],
  async handle({ ctx, params, body }) {
    return ok({ return: presentReturn(await rejectReturn(ctx, { returnId: params.id, note: body.note })) });
  },
});

export const postReceipt = defineRoute({
  ...deciding,
  path: '/api/v1/admin/returns/:id/receive',
  summary: 'Note that the goods have come back. Their stock is for the owner to change.',
  body: Decision,
  errors: ['return_not_allowed'],
  async handle({ ctx, params, body }) {
    return ok({ return: presentReturn(await receiveReturn(ctx, { returnId: params.id, note: body.note })) });
  },
});

export const postClosing = defineRoute({
  ...deciding,
  path: '/api/v1/admin/returns/:id/close',
  summary: 'Note that nothing is left to do: it was refunded or replaced, or never came and may be asked for again.',
  body: Decision,
  errors: ['return_not_allowed'],
  async handle({ ctx, params, body }) {
    return ok({ return: presentReturn(await closeReturn(ctx, { returnId: params.id, note: body.note })) });
  },
});

export const postReturnRefund = defineRoute({
  ...deciding,
  path: '/api/v1/admin/returns/:id/refund',
  idempotent: 'atomic',
  summary: 'Give back what was paid for the goods, or an amount: the refund is promised and issued by a worker.',
  body: Type.Object({
    note,
    amount_cents: Omittable(Type.Unsafe<number>({ ...Cents, description: '0: the money went back in another way.' })),
  }),
  errors: ['return_not_allowed', 'refund_not_allowed'],
  async handle({ ctx, params, body: { note, amount_cents: amountCents } }) {
    return ok({ return: presentReturn(await refundReturn(ctx, { returnId: params.id, note, amountCents })) });
  },
});

import { defineRoute } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { auditedUpdate } from '#src/domain/audit/index.ts';
import { moderateReview } from '#src/domain/backoffice/index.ts';
import {
  listManagedReviews,
  ManagedReviewView,
  presentManagedReview,
  readManagedReview,
  reviewStatuses,
} from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { Id, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { reading, writing } from './audience.ts';

const deciding = {
  ...writing('content'),
  method: 'post',
  params: Type.Object({ id: Id('rev') }),
  responses: { 200: Type.Object({ review: ManagedReviewView }) },
} as const;

/** The audit log gets no emails. */
async function decide(ctx: Context, id: string, status: 'approved' | 'rejected') {
  const review = await auditedUpdate(ctx, {
    kind: 'review',
    name: id,
    async view(ctx) {
      const review = await readManagedReview(ctx, id);
      return review && presentManagedReview(review);
    },
    logged: ({ product_slug, rating, status }) => ({ product_slug, rating, status }),
    change: (ctx) => moderateReview(ctx, id, status),
  });
  return ok({ review });
}

export const getReviews = defineRoute({
  ...reading('content'),
  operationId: 'admin.listReviews',
  method: 'get',
  path: '/api/v1/admin/reviews',
  summary: 'List reviews, newest first. `?status=pending` lists those to moderate.',
  query: Type.Object({ status: Type.Optional(Type.Enum([...reviewStatuses])), ...PageQuery }),
  responses: { 200: PageOf('reviews', ManagedReviewView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listManagedReviews(ctx, query);
    return ok({ reviews: rows.map(presentManagedReview), cursor });
  },
});

export const postReviewApproval = defineRoute({
  ...deciding,
  operationId: 'admin.approveReview',
  path: '/api/v1/admin/reviews/:id/approve',
  summary: 'Approve a review.',
  handle: ({ ctx, params }) => decide(ctx, params.id, 'approved'),
});

export const postReviewRejection = defineRoute({
  ...deciding,
  operationId: 'admin.rejectReview',
  path: '/api/v1/admin/reviews/:id/reject',
  summary: 'Reject a review.',
  handle: ({ ctx, params }) => decide(ctx, params.id, 'rejected'),
});

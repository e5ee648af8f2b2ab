import { defineRoute, toPublic } from '#src/api/lib/define-route.ts';
import { created } from '#src/api/lib/reply.ts';
import { InquiryInput, presentSubmittedInquiry, SubmittedInquiryView, submitInquiry } from '#src/domain/leads/index.ts';
import { Type } from '#src/lib/schema.ts';

export const postWholesale = defineRoute({
  operationId: 'createWholesaleInquiry',
  method: 'post',
  path: '/api/v1/wholesale',
  tag: 'wholesale',
  summary: 'Submit a wholesale inquiry.',
  audience: toPublic,
  body: InquiryInput,
  limit: 'wholesale',
  idempotent: 'atomic',
  responses: { 201: Type.Object({ inquiry: SubmittedInquiryView }) },
  async handle({ ctx, body }) {
    return created({ inquiry: presentSubmittedInquiry(await submitInquiry(ctx, body)) });
  },
});

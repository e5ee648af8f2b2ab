import { defineRoute, toPublic } from '#src/api/lib/define-route.ts';
import { errorsOfPayments } from '#src/api/lib/documented-errors.ts';
import { ok } from '#src/api/lib/reply.ts';
import { BillingPortalInput, openBillingPortal } from '#src/domain/payments/index.ts';
import { Type } from '#src/lib/schema.ts';

export const postBillingPortal = defineRoute({
  operationId: 'createBillingPortalSession',
  method: 'post',
  path: '/api/v1/billing-portal',
  tag: 'billing-portal',
  summary: 'Create a link to the page where customers manage their subscriptions.',
  audience: toPublic,
  body: BillingPortalInput,
  limit: 'ceiling',
  errors: ['customer_not_found', ...errorsOfPayments],
  responses: { 200: Type.Object({ url: Type.String({ examples: ['https://billing.stripe.com/p/session/test_1'] }) }) },
  async handle({ ctx, body }) {
    return ok(await openBillingPortal(ctx, body));
  },
});

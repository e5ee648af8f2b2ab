import { defineRoute } from '#src/api/lib/define-route.ts';
import { created } from '#src/api/lib/reply.ts';
import { type CredentialsChange, requestConfirmation } from '#src/domain/confirmations/index.ts';
import type { Context } from '#src/domain/context.ts';
import { PaymentAccountInput, paymentCredentials } from '#src/domain/payments/index.ts';
import {
  SecondShippingAccountInput,
  ShippingAccountChange,
  secondShippingCredentials,
  shippingCredentials,
} from '#src/domain/shipping/index.ts';
import { Id, Type } from '#src/lib/schema.ts';
import { owning } from './audience.ts';

const requesting = {
  ...owning,
  method: 'post',
  summary: 'Email the owner the one-time password for replacing stored credentials. The body is that of the PUT.',
  idempotent: 'atomic',
  coalesced: true,
  errors: ['rate_limited'],
  responses: { 201: Type.Object({ confirmation_id: Id('otp') }) },
} as const;

const confirmationFor = async (ctx: Context, change: CredentialsChange) =>
  created({ confirmation_id: (await requestConfirmation(ctx, change)).confirmationId });

export const postPaymentsConfirmation = defineRoute({
  ...requesting,
  operationId: 'admin.requestPaymentConfirmation',
  path: '/api/v1/admin/providers/payments/confirmations',
  body: PaymentAccountInput,
  handle: ({ ctx, body }) => confirmationFor(ctx, paymentCredentials(body)),
});

export const postShippingConfirmation = defineRoute({
  ...requesting,
  operationId: 'admin.requestShippingConfirmation',
  path: '/api/v1/admin/providers/shipping/confirmations',
  body: ShippingAccountChange,
  handle: ({ ctx, body }) => confirmationFor(ctx, shippingCredentials(body)),
});

export const postSecondShippingConfirmation = defineRoute({
  ...requesting,
  operationId: 'admin.requestSecondShippingConfirmation',
  path: '/api/v1/admin/providers/second-shipping/confirmations',
  body: SecondShippingAccountInput,
  handle: ({ ctx, body }) => confirmationFor(ctx, secondShippingCredentials(body)),
});

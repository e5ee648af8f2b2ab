import { defineRoute } from '#src/api/lib/define-route.ts';
import { errorsOfPayments } from '#src/api/lib/documented-errors.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import { OneTimeCode } from '#src/domain/confirmations/index.ts';
import { confirmSecretRotation, startSecretRotation } from '#src/domain/payments/index.ts';
import { Id, Omittable, Type } from '#src/lib/schema.ts';
import { owning } from './audience.ts';

export const postRotation = defineRoute({
  ...owning,
  operationId: 'admin.startSecretRotation',
  method: 'post',
  path: '/api/v1/admin/payments/webhook-secret/rotations',
  idempotent: 'atomic',
  coalesced: true,
  summary:
    "Start rotating the payment provider's webhook secret. A one-time code is emailed to the owner, unless a member of the staff starts it.",
  errors: ['payment_provider_not_configured', 'rate_limited'],
  responses: { 201: Type.Object({ rotation_id: Id('rot') }) },
  async handle({ ctx }) {
    const { rotationId } = await startSecretRotation(ctx);
    return created({ rotation_id: rotationId });
  },
});

export const postConfirmation = defineRoute({
  ...owning,
  operationId: 'admin.confirmSecretRotation',
  method: 'post',
  path: '/api/v1/admin/payments/webhook-secret/rotations/:id/confirm',
  summary: 'Confirm the rotation and read the new secret. It can be read again for ten minutes.',
  params: Type.Object({ id: Id('rot') }),
  body: Type.Object({
    code: Omittable(
      Type.String({
        ...OneTimeCode,
        description: 'The one-time code. Not needed by a member of the staff, whose session is verified.',
      }),
    ),
  }),
  errors: ['invalid_or_expired_token', 'version_conflict', ...errorsOfPayments],
  responses: { 200: Type.Object({ secret: Type.String({ examples: ['whsec_1Qx'] }) }) },
  async handle({ ctx, params, body }) {
    return ok(await confirmSecretRotation(ctx, { rotationId: params.id, code: body.code ?? null }));
  },
});

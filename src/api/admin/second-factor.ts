import { defineRoute, staffOf } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import { OneTimeCode } from '#src/domain/confirmations/index.ts';
import {
  confirmTotp,
  disableTotp,
  mailVerificationCode,
  presentSignedIn,
  SignedInView,
  startTotp,
  VerificationCode,
  verifyStaffSession,
} from '#src/domain/staff/index.ts';
import { Done, Type } from '#src/lib/schema.ts';
import { ownSession } from './audience.ts';

export const postVerification = defineRoute({
  ...ownSession,
  operationId: 'admin.verifySession',
  method: 'post',
  path: '/api/v1/admin/session/verification',
  summary:
    'Verify the session for ten minutes, with a code of the authenticator app, a recovery code or an emailed one.',
  body: Type.Object({ code: VerificationCode }),
  errors: ['invalid_or_expired_token'],
  responses: { 200: SignedInView },
  async handle({ ctx, caller, body }) {
    return ok(presentSignedIn(ctx, await verifyStaffSession(ctx, staffOf(caller), body.code)));
  },
});

export const postVerificationEmail = defineRoute({
  ...ownSession,
  operationId: 'admin.emailVerificationCode',
  method: 'post',
  path: '/api/v1/admin/session/verification/email',
  summary: 'Email a code that verifies this session, to a member without an authenticator app.',
  errors: ['totp_enabled'],
  responses: { 202: Done },
  async handle({ ctx, caller }) {
    await mailVerificationCode(ctx, staffOf(caller));
    return accepted({ ok: true });
  },
});

export const postTotp = defineRoute({
  ...ownSession,
  operationId: 'admin.startTotp',
  method: 'post',
  path: '/api/v1/admin/second-factor/totp',
  summary: 'Start setting up an authenticator app. Its secret is only returned here.',
  verified: true,
  errors: ['totp_enabled'],
  responses: {
    200: Type.Object({
      secret: Type.String({ examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'] }),
      otpauth_url: Type.String({ examples: ['otpauth://totp/Cedar:ada@example.com?secret=JBSWY3DPEHPK3PXP'] }),
    }),
  },
  async handle({ ctx, caller }) {
    const { secret, otpauthUrl } = await startTotp(ctx, staffOf(caller));
    return ok({ secret, otpauth_url: otpauthUrl });
  },
});

export const postTotpConfirmation = defineRoute({
  ...ownSession,
  operationId: 'admin.confirmTotp',
  method: 'post',
  path: '/api/v1/admin/second-factor/totp/confirm',
  summary: 'Confirm the authenticator app with one of its codes. The recovery codes are only returned here.',
  verified: true,
  body: Type.Object({ code: OneTimeCode }),
  errors: ['invalid_or_expired_token', 'totp_enabled'],
  responses: { 200: Type.Object({ recovery_codes: Type.Array(Type.String({ examples: ['7k2qm-x0f9d'] })) }) },
  async handle({ ctx, caller, body }) {
    return ok({ recovery_codes: await confirmTotp(ctx, staffOf(caller), body.code) });
  },
});

export const deleteTotp = defineRoute({
  ...ownSession,
  operationId: 'admin.removeTotp',
  method: 'delete',
  path: '/api/v1/admin/second-factor/totp',
  summary: 'Remove the authenticator app and its recovery codes. Codes are emailed again.',
  verified: true,
  responses: { 200: SignedInView },
  async handle({ ctx, caller }) {
    return ok(presentSignedIn(ctx, await disableTotp(ctx, staffOf(caller))));
  },
});

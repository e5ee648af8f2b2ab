import { defineRoute, toDual, toPublic } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import {
  applyAsPartner,
  findPartner,
  PartnerApplicationInput,
  PartnerApplicationView,
  PartnerView,
  presentPartner,
  trackReferral,
} from '#src/domain/partners/index.ts';
import { found } from '#src/lib/errors.ts';
import { Id, OmittableOrEmpty, Text, Type } from '#src/lib/schema.ts';

const Code = Text(100, { examples: ['maker'] });

export const getPartner = defineRoute({
  operationId: 'getPartner',
  method: 'get',
  path: '/api/v1/partners/:code',
  tag: 'partners',
  summary: 'Read a partner by code, with the discount that a checkout with this `partner_code` has.',
  audience: toDual('partners:read'),
  limit: 'reads',
  params: Type.Object({ code: Code }),
  responses: { 200: Type.Object({ partner: PartnerView }) },
  async handle({ ctx, params }) {
    const partner = found(await findPartner(ctx, params.code), 'partner');
    return ok({ partner: presentPartner(partner) });
  },
});

export const postReferral = defineRoute({
  operationId: 'trackReferral',
  method: 'post',
  path: '/api/v1/partners/track',
  tag: 'partners',
  summary: 'Track a referral. Orders of this session within the partner’s window are attributed to the partner.',
  audience: toPublic,
  limit: 'partners',
  body: Type.Object({
    code: Code,
    session_id: OmittableOrEmpty(Text(200, { examples: ['b7f0a3c2'] })),
    landing_url: OmittableOrEmpty(Text(2048, { examples: ['https://shop.example.com/?partner=maker'] })),
  }),
  errors: ['not_found'],
  responses: { 200: Type.Object({ ok: Type.Literal(true), referral_id: Id('ref') }) },
  async handle({ ctx, body }) {
    const visit = { code: body.code, sessionId: body.session_id, landingUrl: body.landing_url };
    const { referralId } = await trackReferral(ctx, visit);
    return ok({ ok: true, referral_id: referralId });
  },
});

export const postPartnerApplication = defineRoute({
  operationId: 'applyAsPartner',
  method: 'post',
  path: '/api/v1/partners/apply',
  tag: 'partners',
  summary: 'Apply to become a partner. The store’s owner decides.',
  audience: toPublic,
  limit: 'partners',
  idempotent: 'atomic',
  body: PartnerApplicationInput,
  responses: { 201: Type.Object({ application: PartnerApplicationView }) },
  async handle({ ctx, body }) {
    return created({ application: await applyAsPartner(ctx, body) });
  },
});

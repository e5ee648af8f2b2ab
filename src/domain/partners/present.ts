import { Id, type Static, Type } from '#src/lib/schema.ts';
import type { PartnerTerms } from './find-partner.ts';

/** A partner as a storefront shows it. The commission is between the partner and the store. */
export const PartnerView = Type.Object(
  {
    code: Type.String({ examples: ['maker'] }),
    name: Type.String({ examples: ['The Maker Blog'] }),
    discount: Type.Object({ percent: Type.Number({ examples: [5] }) }),
  },
  { title: 'Partner' },
);

export const PartnerApplicationView = Type.Object({
  id: Id('inq'),
  status: Type.Union([Type.Literal('pending'), Type.Literal('accepted'), Type.Literal('declined')]),
});

export function presentPartner({ code, name, discountPercent }: PartnerTerms): Static<typeof PartnerView> {
  return { code, name, discount: { percent: discountPercent } };
}

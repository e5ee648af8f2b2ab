export { applyAsPartner, type PartnerApplication } from './apply-as-partner.ts';
export { attributeOrder, type PaidOrder } from './attribute-order.ts';
export { findPartner, type PartnerTerms } from './find-partner.ts';
export { Partner } from './partner.ts';
export { PartnerApplicationInput, PartnerInput } from './partner-input.ts';
export { PartnerApplicationView, PartnerView, presentPartner } from './present.ts';
export { savePartner } from './save-partner.ts';
export { trackReferral, type Visit } from './track-referral.ts';

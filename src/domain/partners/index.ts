export { applyAsPartner } from './apply-as-partner.ts';
export { attributeOrder } from './attribute-order.ts';
export { findPartner } from './find-partner.ts';
export {
  listApplications,
  listPartners,
  ManagedPartnerView,
  presentManagedPartner,
  presentReceivedApplication,
  ReceivedApplicationView,
  readPartner,
} from './managed-partners.ts';
export { normalisePartnerCode, Partner } from './partner.ts';
export { partnerCodes } from './partner-codes.ts';
export { PartnerApplicationInput, PartnerInput } from './partner-input.ts';
export { partnerPersonalData } from './personal-data.ts';
export { PartnerApplicationView, PartnerView, presentPartner } from './present.ts';
export { removePartner } from './remove-partner.ts';
export { partnerRetention } from './retention.ts';
export { savePartner } from './save-partner.ts';
export { trackReferral } from './track-referral.ts';

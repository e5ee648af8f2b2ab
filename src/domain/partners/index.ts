export {
  applyAsPartner,
  listApplications,
  PartnerApplicationInput,
  PartnerApplicationView,
  presentReceivedApplication,
  ReceivedApplicationView,
} from './applications.ts';
export {
  attributedSales,
  listPartners,
  ManagedPartnerView,
  presentManagedPartner,
  readPartner,
} from './managed-partners.ts';
export {
  findPartner,
  normalisePartnerCode,
  Partner,
  PartnerInput,
  PartnerView,
  partnerCodes,
  presentPartner,
} from './partner.ts';
export { partnerPersonalData } from './personal-data.ts';
export { attributeOrder, trackReferral } from './referrals.ts';
export { calculateRetained } from './retained-sale.ts';
export { removePartner, savePartner, savePartners } from './save-partner.ts';

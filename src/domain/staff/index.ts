export { changeStaff, inviteStaff, revokeStaff, StaffPatch, saveStaff, subjectOf } from './change-staff.ts';
export { staffPersonalData } from './personal-data.ts';
export { roleNames, roles } from './roles.ts';
export {
  confirmTotp,
  disableTotp,
  disableTotpOf,
  mailVerificationCode,
  staffSealedColumns,
  startTotp,
  VerificationCode,
  verifyStaffSession,
} from './second-factor.ts';
export { findStaff, listStaff, presentStaff, StaffInput, type StaffMember, StaffView } from './staff.ts';
export { checkStaffLink, linksPerMemberMax, mailInvitation, mailStaffLink, requestStaffLink } from './staff-link.ts';
export {
  consumeStaffLink,
  findSessionOwner,
  invalidStaffSession,
  listStaffSessions,
  openStaffSession,
  presentSignedIn,
  presentStaffSession,
  revokeStaffSession,
  SignedInView,
  type StaffSession,
  StaffSessionView,
  signOutStaff,
} from './staff-session.ts';

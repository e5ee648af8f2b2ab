export { CapturedLeadView, captureLead, presentCapturedLead, saveQuiz } from './capture-lead.ts';
export {
  InquiryView,
  listInquiries,
  presentInquiry,
  presentSubmittedInquiry,
  SubmittedInquiryView,
  submitInquiry,
} from './inquiries.ts';
export { InquiryInput, LeadInput, QuizInput, WaitlistInput } from './lead-input.ts';
export { LeadView, listLeads, presentLead } from './list-leads.ts';
export { leadPersonalData } from './personal-data.ts';
export {
  joinWaitlist,
  listWaitlist,
  notifyPublished,
  notifyReopened,
  notifyRestock,
  presentWaitlistEntry,
  WaitlistEntryView,
} from './waitlist.ts';

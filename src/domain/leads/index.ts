export { captureLead } from './capture-lead.ts';
export { type InquiryStatus, inquiryStatuses } from './inquiry.ts';
export { joinWaitlist } from './join-waitlist.ts';
export { keepQuiz } from './keep-quiz.ts';
export { InquiryInput, LeadInput, QuizInput, WaitlistInput } from './lead-input.ts';
export { type Inquiry, listInquiries } from './list-inquiries.ts';
export { type Lead, listLeads } from './list-leads.ts';
export { notifyRestock } from './notify-restock.ts';
export { leadPersonalData } from './personal-data.ts';
export {
  CapturedLeadView, InquiryView, LeadView, presentCapturedLead, presentInquiry, presentLead, presentSubmittedInquiry,
  SubmittedInquiryView,
} from './present.ts';
export { submitInquiry, type SubmittedInquiry } from './submit-inquiry.ts';

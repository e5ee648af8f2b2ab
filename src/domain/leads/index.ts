export { CapturedLeadView, captureLead, presentCapturedLead, saveQuiz } from './capture-lead.ts';
export {
  InquiryView,
  listInquiries,
  presentInquiry,
  presentSubmittedInquiry,
  SubmittedInquiryView,
  submitInquiry,
} from './inquiries.ts';
export { joinWaitlist } from './join-waitlist.ts';
export { InquiryInput, LeadInput, QuizInput, WaitlistInput } from './lead-input.ts';
export { LeadView, listLeads, presentLead } from './list-leads.ts';
export { notifyRestock } from './notify-restock.ts';
export { leadPersonalData } from './personal-data.ts';

export { captureLead } from './capture-lead.ts';
export { joinWaitlist } from './join-waitlist.ts';
export { saveQuiz } from './keep-quiz.ts';
export { InquiryInput, LeadInput, QuizInput, WaitlistInput } from './lead-input.ts';
export { listInquiries } from './list-inquiries.ts';
export { listLeads } from './list-leads.ts';
export { notifyRestock } from './notify-restock.ts';
export { leadPersonalData } from './personal-data.ts';
export {
  CapturedLeadView,
  InquiryView,
  LeadView,
  presentCapturedLead,
  presentInquiry,
  presentLead,
  presentSubmittedInquiry,
  SubmittedInquiryView,
} from './present.ts';
export { submitInquiry } from './submit-inquiry.ts';

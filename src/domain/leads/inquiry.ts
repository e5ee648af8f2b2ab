export const inquiryStatuses = ['new', 'answered', 'closed'] as const;
export type InquiryStatus = (typeof inquiryStatuses)[number];

import { Email, FreeForm, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { inquiryStatuses } from './inquiry.ts';
import type { Inquiry } from './list-inquiries.ts';
import type { Lead } from './list-leads.ts';

/** What whoever left an address is answered. It tells nobody whether the address was known. */
export const CapturedLeadView = Type.Object({ ok: Type.Literal(true), lead_id: Id('lead') });

export function presentCapturedLead(leadId: string): Static<typeof CapturedLeadView> {
  return { ok: true, lead_id: leadId };
}

const status = Type.Enum([...inquiryStatuses]);

/** What a business is answered. */
export const SubmittedInquiryView = Type.Object({ id: Id('inq'), status });

export function presentSubmittedInquiry({
  id,
  status,
}: Pick<Inquiry, 'id' | 'status'>): Static<typeof SubmittedInquiryView> {
  return { id, status };
}

/** A lead as the store's owner sees it. */
export const LeadView = Type.Object(
  {
    id: Id('lead'),
    email: Email,
    source: Type.String({ examples: ['footer'] }),
    name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
    consent: Nullable(Type.Boolean()),
    answers: Nullable(FreeForm),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Lead' },
);

export function presentLead(lead: Lead): Static<typeof LeadView> {
  const { id, email, source, name, consent, answers, createdAt, updatedAt } = lead;
  return {
    id,
    email,
    source,
    name,
    consent,
    answers: answers && { ...answers },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/** An inquiry as the store's owner sees it. */
export const InquiryView = Type.Object(
  {
    id: Id('inq'),
    email: Email,
    company: Nullable(Type.String({ examples: ['Analytical Kitchens Ltd'] })),
    phone: Nullable(Type.String()),
    message: Nullable(Type.String()),
    expected_volume: Nullable(Type.String()),
    status,
    created_at: Timestamp,
  },
  { title: 'WholesaleInquiry' },
);

export function presentInquiry(inquiry: Inquiry): Static<typeof InquiryView> {
  const { id, email, company, phone, message, expectedVolume, status, createdAt } = inquiry;
  return {
    id,
    email,
    company,
    phone,
    message,
    expected_volume: expectedVolume,
    status,
    created_at: createdAt.toISOString(),
  };
}

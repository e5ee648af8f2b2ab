import { readPage } from '#src/database/read-page.ts';
import { write } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { newId } from '#src/lib/ids.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { upsertLead } from './capture-lead.ts';
import type { InquiryInput } from './lead-input.ts';

const inquiryStatuses = ['new', 'answered', 'closed'] as const;
export type InquiryStatus = (typeof inquiryStatuses)[number];

export interface SubmittedInquiry {
  readonly id: string;
  readonly leadId: string;
  readonly status: InquiryStatus;
}

/** Save a wholesale inquiry. All inquiries of one email address belong to one lead. */
export async function submitInquiry(ctx: Context, input: InquiryInput): Promise<SubmittedInquiry> {
  const { email, company, phone, message, expected_volume: expectedVolume } = input;
  const [inquiry] = await write<SubmittedInquiry>(
    ctx,
    sql`
    lead as (${upsertLead(ctx, { email, source: 'wholesale' })}),
    inquiry as (
      insert into wholesale_inquiries (tenant_id, id, lead_id, email, company, phone, message, expected_volume, status,
        created_at)
      select ${ctx.tenant.id}, ${newId('inq')}, lead.id, ${normaliseEmail(email)}, ${company ?? null}::text,
        ${phone ?? null}::text, ${message ?? null}::text, ${expectedVolume ?? null}::text, 'new',
        ${ctx.clock.now()}::timestamptz
      from lead
      returning id, lead_id, status)`,
    sql`
    select id, lead_id as "leadId", status from inquiry`,
  );
  if (!inquiry) throw new TypeError('The insert returned no row.');
  return inquiry;
}

/** A wholesale inquiry. */
export type Inquiry = RowOf<typeof InquiryView>;

/**
 * The wholesale inquiries, newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listInquiries(ctx: Context, page: PageRequest): Promise<Page<Inquiry>> {
  return readPage<Inquiry>(
    ctx,
    { name: 'wholesale_inquiries', columns: ['id'], descending: true },
    page,
    (position) => sql`
    select id, email, company, phone, message, expected_volume as "expectedVolume", status,
      created_at as "createdAt"${position}
    from wholesale_inquiries where tenant_id = ${ctx.tenant.id}`,
    { replica: true },
  );
}

const status = Type.Enum([...inquiryStatuses]);

/** The response to submitting an inquiry. */
export const SubmittedInquiryView = Type.Object({ id: Id('inq'), status });

export function presentSubmittedInquiry({
  id,
  status,
}: Pick<Inquiry, 'id' | 'status'>): Static<typeof SubmittedInquiryView> {
  return { id, status };
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
  return presentAs(InquiryView, inquiry);
}

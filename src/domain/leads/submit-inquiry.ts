import { write } from '#src/database/transact.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { upsertLead } from './capture-lead.ts';
import type { InquiryStatus } from './inquiry.ts';
import type { InquiryInput } from './lead-input.ts';

export interface SubmittedInquiry {
  readonly id: string;
  readonly leadId: string;
  readonly status: InquiryStatus;
}

/** Take in what a business asks, in one statement. Several inquiries of one address are one lead. */
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
  if (!inquiry) throw new TypeError('An insert answered no row.');
  return inquiry;
}

import { readPage } from '#src/database/read-page.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Email, FreeForm, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** An email address left on the storefront. */
export type Lead = RowOf<typeof LeadView>;

/**
 * The leads, newest first, page by page, optionally of one source.
 * @throws DomainError `invalid_cursor`
 */
export async function listLeads(
  ctx: Context,
  { source, ...page }: PageRequest & { source?: string | undefined },
): Promise<Page<Lead>> {
  const bySource = source === undefined ? undefined : { column: 'source', value: source };
  return readPage<Lead>(
    ctx,
    { name: 'leads', of: bySource, columns: ['created_at', 'id'], descending: true },
    page,
    (position) => sql`
    select id, email, source, name, consent, consent_at as "consentAt", answers, created_at as "createdAt",
      updated_at as "updatedAt"${position}
    from leads where tenant_id = ${ctx.tenant.id}`,
    { replica: true },
  );
}

/** A lead as the store's owner sees it. */
export const LeadView = Type.Object(
  {
    id: Id('lead'),
    email: Email,
    source: Type.String({ examples: ['footer'] }),
    name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
    /** Null: it was not requested. */
    consent: Nullable(Type.Boolean()),
    consent_at: Nullable(Timestamp),
    answers: Nullable(FreeForm),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Lead' },
);

export function presentLead(lead: Lead): Static<typeof LeadView> {
  return presentAs(LeadView, lead);
}

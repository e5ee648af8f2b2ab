import { readPage } from '#src/database/read-page.ts';
import { writeRows } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { newId } from '#src/lib/ids.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Email, Id, Nullable, OmittableOrEmpty, type Static, Text, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** An application to become a partner. */
export const PartnerApplicationInput = Type.Object({
  email: Email,
  name: OmittableOrEmpty(Text(200, { examples: ['Ada Lovelace'] })),
  website: OmittableOrEmpty(Text(2048, { examples: ['https://blog.example.com'] })),
  message: OmittableOrEmpty(Text(5000, { examples: ['I write about kitchens.'] })),
});
export type PartnerApplicationInput = Static<typeof PartnerApplicationInput>;

export type PartnerApplication = Static<typeof PartnerApplicationView>;

/** Save an application to become a partner. The store's owner decides about it. */
export async function applyAsPartner(ctx: Context, input: PartnerApplicationInput): Promise<PartnerApplication> {
  const id = newId('inq');
  await writeRows(
    ctx,
    sql`
    insert into partner_applications (tenant_id, id, email, name, website, message, status, created_at)
    values (${ctx.tenant.id}, ${id}, ${normaliseEmail(input.email)}, ${input.name ?? null}, ${input.website ?? null},
      ${input.message ?? null}, 'pending', ${ctx.clock.now()})
    returning id`,
  );
  return { id, status: 'pending' };
}

/** An application as the store's owner sees it. */
export type ReceivedApplication = RowOf<typeof ReceivedApplicationView>;

/**
 * The applications to become a partner, newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listApplications(ctx: Context, page: PageRequest): Promise<Page<ReceivedApplication>> {
  return readPage<ReceivedApplication>(
    ctx,
    { name: 'partner applications', columns: ['id'], descending: true },
    page,
    (position) => sql`
    select id, status, email, name, website, message, created_at as "createdAt"${position}
    from partner_applications where tenant_id = ${ctx.tenant.id}`,
    { replica: true },
  );
}

export const PartnerApplicationView = Type.Object({
  id: Id('inq'),
  status: Type.Union([Type.Literal('pending'), Type.Literal('accepted'), Type.Literal('declined')]),
});

export const ReceivedApplicationView = Type.Object(
  {
    ...PartnerApplicationView.properties,
    email: Email,
    name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
    website: Nullable(Type.String({ examples: ['https://blog.example.com'] })),
    message: Nullable(Type.String()),
    created_at: Timestamp,
  },
  { title: 'PartnerApplication' },
);

export function presentReceivedApplication(received: ReceivedApplication): Static<typeof ReceivedApplicationView> {
  return presentAs(ReceivedApplicationView, received);
}

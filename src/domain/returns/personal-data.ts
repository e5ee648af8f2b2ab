import { lowerCase, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { anonymisedRows, blank, type DataSubject, type PersonalData } from '../personal-data.ts';

const own = ({ email, orderIds }: DataSubject) =>
  sql`(${lowerCase(sql`email`)} = ${email} or order_id = any(${orderIds}))`;

const ofOwn = (subject: DataSubject, ctx: Context) => sql`return_id in (
  select id from returns where tenant_id = ${ctx.tenant.id} and ${own(subject)})`;

/** The items go first, because they are found by the email of their return. */
export const returnPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'return_items',
    stays: 'What was returned, for the accounts.',
    ofOrders: 'indexed',
    personal: blank('reason', 'note'),
    beside: ['return_id', 'name', 'quantity'],
    of: (subject, ctx) => sql`${ofOwn(subject, ctx)} and (reason is not null or note is not null)`,
  }),
  anonymisedRows({
    table: 'returns',
    stays: 'What was returned, for the accounts.',
    ofOrders: 'indexed',
    // An email in a reserved domain (RFC 2606), because the column is never empty.
    personal: { ...blank('note'), email: sql`'erased@erased.invalid'` },
    event: 'return.updated',
    beside: ['id', 'order_number', 'status', 'created_at'],
    of: (subject) => sql`${own(subject)} and email <> 'erased@erased.invalid'`,
  }),
];

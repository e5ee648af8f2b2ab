import { read, readOne } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { type Customer, normaliseEmail } from './customer.ts';

export async function findCustomer(ctx: Context, id: string): Promise<Customer | undefined> {
  return find(ctx, sql`c.id = ${id}`);
}

/** The customer with this email address, in any spelling. */
export async function findCustomerByEmail(ctx: Context, email: string): Promise<Customer | undefined> {
  return find(ctx, sql`c.email = ${normaliseEmail(email)}`);
}

async function find(ctx: Context, condition: Sql): Promise<Customer | undefined> {
  return readOne<Customer>(ctx, sql`${selectCustomers(ctx)} and ${condition}`);
}

/** A query for the customers `c` of a store, as rows of `Customer`. Further conditions may follow it. */
const selectCustomers = (ctx: Context, more: Sql = sql``): Sql => sql`
  select c.id, c.email, c.name, c.accepts_marketing as "acceptsMarketing",
    p.payment_customer_id as "paymentCustomerId", c.version, c.created_at as "createdAt"${more}
  from customers c
  left join customer_payment_ids p on p.tenant_id = ${ctx.tenant.id} and p.customer_id = c.id
    and p.environment = ${ctx.settings.appMode}
  where c.tenant_id = ${ctx.tenant.id}`;

/**
 * The customers of the store, newest first, page by page, optionally the one with an email address.
 * @throws DomainError `invalid_cursor`
 */
export async function listCustomers(
  ctx: Context,
  { email, cursor, limit = 20 }: PageRequest & { email?: string | undefined },
): Promise<Page<Customer>> {
  const list = keyset(ctx, 'customers', { columns: ['c.id'], descending: true }, cursor);
  const ofEmail = email === undefined ? sql`` : sql` and c.email = ${normaliseEmail(email)}`;
  const rows = await read<Customer & { position: Position }>(
    ctx,
    sql`
    ${selectCustomers(ctx, sql`, ${list.position} as position`)}${ofEmail} and ${list.after}
    order by ${list.by} limit ${limit + 1}`,
    { replica: true },
  );
  return list.page(rows, limit);
}

/** An SQL expression: the id of the customer with this normalised email address. */
export const customerIdOf = (ctx: Context, email: string | null): Sql => sql`
  (select id from customers where tenant_id = ${ctx.tenant.id} and email = ${email})`;

/** An SQL expression: the payment provider's id of the customer with this normalised email address. */
export const paymentCustomerIdOf = (ctx: Context, email: string | null): Sql => sql`
  (select payment_customer_id from customer_payment_ids
    where tenant_id = ${ctx.tenant.id} and environment = ${ctx.settings.appMode} and customer_id = ${customerIdOf(ctx, email)})`;

import { readOne } from '#src/database/transact.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { Customer } from './customer.ts';
import { normaliseEmail } from './normalise-email.ts';

/** The customer with this id, in one statement. */
export async function findCustomer(ctx: Context, id: string): Promise<Customer | undefined> {
  return find(ctx, sql`c.id = ${id}`);
}

/** The customer with this address, however it is written, in one statement. */
export async function findCustomerByEmail(ctx: Context, email: string): Promise<Customer | undefined> {
  return find(ctx, sql`c.email = ${normaliseEmail(email)}`);
}

async function find(ctx: Context, condition: Sql): Promise<Customer | undefined> {
  return readOne<Customer>(ctx, sql`${selectCustomers(ctx)} and ${condition}`);
}

/** A query for the customers `c` of a store, as rows of `Customer`. Further conditions may follow it. */
export const selectCustomers = (ctx: Context, more: Sql = sql``): Sql => sql`
  select c.id, c.email, c.name, c.accepts_marketing as "acceptsMarketing",
    p.payment_customer_id as "paymentCustomerId", c.version, c.created_at as "createdAt"${more}
  from customers c
  left join customer_payment_ids p on p.tenant_id = ${ctx.tenant.id} and p.customer_id = c.id
    and p.environment = ${ctx.settings.appMode}
  where c.tenant_id = ${ctx.tenant.id}`;

import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** The id of the customer with this address (trimmed, lower case), as a part of another statement. */
export const customerIdOf = (ctx: Context, email: string | null): Sql => sql`
  (select id from customers where tenant_id = ${ctx.tenant.id} and email = ${email})`;

/** What the payment provider calls the customer with this address, as a part of another statement. */
export const paymentCustomerIdOf = (ctx: Context, email: string | null): Sql => sql`
  (select payment_customer_id from customer_payment_ids
    where tenant_id = ${ctx.tenant.id} and environment = ${ctx.settings.appMode} and customer_id = ${customerIdOf(ctx, email)})`;

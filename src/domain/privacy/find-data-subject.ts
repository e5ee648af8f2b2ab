import { lockName } from '#src/database/lock-names.ts';
import { minutes } from '#src/lib/duration.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { lowerCase, sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { customerIdOf } from '../customers/index.ts';
import type { DataSubject } from '../personal-data.ts';

/** Some tables have no index by email address, so an export or erasure may take minutes. */
const statementTimeoutMs = minutes(10);

/** Someone whose email is known. */
export type KnownSubject = DataSubject & { readonly email: string };

/** Find the person with this email address, and lock them until the end of the transaction. */
export async function findDataSubject(ctx: InTransaction, address: string): Promise<KnownSubject> {
  const email = normaliseEmail(address);
  await ctx.tx.limitStatements(statementTimeoutMs);
  await lockName(ctx, 'data subject', email);
  const [customer] = await ctx.tx.execute<{ id: string | null }>(sql`select ${customerIdOf(ctx, email)} as id`);
  const customerId = customer?.id ?? null;
  const orders = await ctx.tx.execute<{ id: string }>(sql`
    select id from orders
    where tenant_id = ${ctx.tenant.id} and (${lowerCase(sql`email`)} = ${email} or customer_id = ${customerId}
      or ${lowerCase(sql`shipping_address ->> 'email'`)} = ${email})
    order by id`);
  return { email, customerId, orderIds: orders.map(({ id }) => id) };
}

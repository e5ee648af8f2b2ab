import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { normaliseEmail } from './normalise-email.ts';

/**
 * The customer with this address, made when there is none: however many orders of one person arrive at once, they
 * find one customer. A name that is given replaces the one that is known.
 */
export async function upsertCustomer(
  ctx: InTransaction,
  { email, name }: { email: string; name?: string | null | undefined },
): Promise<{ id: string }> {
  const [customer] = await ctx.tx.execute<{ id: string }>(sql`
    insert into customers as known (tenant_id, id, email, name, created_at)
    values (${ctx.tenant.id}, ${newId('cus')}, ${normaliseEmail(email)}, ${name?.trim() || null}, ${ctx.clock.now()})
    on conflict (tenant_id, email) do update set
      name = coalesce(excluded.name, known.name),
      version = known.version + (coalesce(excluded.name, known.name) is distinct from known.name)::int
    returning id`);
  if (!customer) throw new TypeError('An upsert answered no row.');
  return customer;
}

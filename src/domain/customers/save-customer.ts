import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { normaliseEmail } from './customer.ts';

/**
 * Find or create the customer with this email address. Concurrent calls get the same customer. A given name replaces the
 * stored one.
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
  if (!customer) throw new TypeError('The upsert returned no row.');
  return customer;
}

/**
 * Link a customer to their id at the payment provider in this environment. The first id stays: of two concurrent first
 * checkouts, both get the id that was linked first.
 */
export async function linkPaymentCustomer(
  ctx: InTransaction,
  { customerId, paymentCustomerId }: { customerId: string; paymentCustomerId: string },
): Promise<{ paymentCustomerId: string }> {
  const [linked] = await ctx.tx.execute<{ paymentCustomerId: string }>(sql`
    insert into customer_payment_ids as linked (tenant_id, customer_id, environment, payment_customer_id, created_at)
    values (${ctx.tenant.id}, ${customerId}, ${ctx.settings.appMode}, ${paymentCustomerId}, ${ctx.clock.now()})
    on conflict (tenant_id, customer_id, environment) do update set payment_customer_id = linked.payment_customer_id
    returning payment_customer_id as "paymentCustomerId"`);
  if (!linked) throw new TypeError('The upsert returned no row.');
  return linked;
}

/** Unlink a customer that the payment provider does not have; one that was linked since then stays. */
export async function unlinkPaymentCustomer(
  ctx: InTransaction,
  { customerId, paymentCustomerId }: { customerId: string; paymentCustomerId: string },
): Promise<void> {
  await ctx.tx.execute(sql`
    delete from customer_payment_ids
    where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId} and environment = ${ctx.settings.appMode}
      and payment_customer_id = ${paymentCustomerId}`);
}

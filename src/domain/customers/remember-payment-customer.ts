import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/**
 * Keep what the payment provider calls this customer in this environment. The first one stays: of two first checkouts
 * at once both get the id that was kept, and use that from then on.
 */
export async function linkPaymentCustomer(
  ctx: InTransaction,
  { customerId, paymentCustomerId }: { customerId: string; paymentCustomerId: string },
): Promise<{ paymentCustomerId: string }> {
  const [kept] = await ctx.tx.execute<{ paymentCustomerId: string }>(sql`
    insert into customer_payment_ids as kept (tenant_id, customer_id, environment, payment_customer_id, created_at)
    values (${ctx.tenant.id}, ${customerId}, ${ctx.settings.appMode}, ${paymentCustomerId}, ${ctx.clock.now()})
    on conflict (tenant_id, customer_id, environment) do update set payment_customer_id = kept.payment_customer_id
    returning payment_customer_id as "paymentCustomerId"`);
  if (!kept) throw new TypeError('An upsert answered no row.');
  return kept;
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

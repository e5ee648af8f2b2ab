import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/**
 * Emails about an order, or about a return of it, that wait or were given up go to another email, if they are sent. One
 * that is being sent is sent again. The gift of an order is for somebody else.
 */
export async function changeRecipient(
  ctx: InTransaction,
  { orderId, to }: { orderId: string; to: string },
): Promise<void> {
  const { id: tenantId } = ctx.tenant;
  await ctx.tx.execute(sql`
    update mails set recipient = ${to}
    where tenant_id = ${tenantId} and state in ('queued', 'sending', 'failed') and kind <> 'gift'
      and subject_id = any(array(
        select ${orderId} union all select id from returns where tenant_id = ${tenantId} and order_id = ${orderId}))`);
}

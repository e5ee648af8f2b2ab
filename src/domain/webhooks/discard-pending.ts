import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/**
 * Put aside what an endpoint that was switched off still had to get: it is not tried any more, and can be recovered.
 * The leases stay, so that an attempt which is under way is still written down. The endpoint is locked before.
 */
export async function discardPending(ctx: InTransaction, endpointId: string): Promise<void> {
  await ctx.tx.execute(sql`
    update webhook_deliveries set state = 'discarded', next_attempt_at = null, settled_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId} and state = 'pending'`);
}

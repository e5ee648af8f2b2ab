import { sql } from '#src/lib/sql.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { normalisePartnerCode } from './partner.ts';

/** Nobody brings shoppers by this code any more, nor by visits of before. What was attributed stays attributed. */
export async function removePartner(ctx: InTransaction, written: string): Promise<Change> {
  const code = normalisePartnerCode(written);
  const now = ctx.clock.now();
  const removed = await ctx.tx.execute(sql`
    update partners set removed_at = ${now}, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and code = ${code} and removed_at is null
    returning id`);
  return { subject: `partner ${code}`, action: removed.length > 0 ? 'removed' : 'unchanged', fields: [] };
}

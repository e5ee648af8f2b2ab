import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { changeNamedEndpoint } from './change-endpoint.ts';

/**
 * Remove an endpoint with everything that was or would have been delivered to it.
 * @throws DomainError `not_found`
 */
export async function removeEndpoint(ctx: Context, { id }: { id: string }): Promise<void> {
  await changeNamedEndpoint(ctx, id, 'removed', async (ctx) => {
    await ctx.tx.execute(sql`delete from webhook_endpoints where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  });
}

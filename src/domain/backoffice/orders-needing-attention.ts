import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { asPlatform } from '../database.ts';
import { isReasonCode } from '../shipping/index.ts';

/** An order whose money or goods want a person. */
export interface OrderNeedingAttention {
  readonly tenantId: string;
  readonly id: string;
  readonly orderNumber: string;
  readonly code: string;
  readonly detail: string | null;
  readonly updatedAt: Date;
}

/** What operators see of every store: orders that want a person, but for what is the matter with their labels. */
export async function ordersNeedingAttention(ctx: PlatformContext, limit: number): Promise<OrderNeedingAttention[]> {
  const orders = await asPlatform(ctx, 'operators see the orders of every store that need attention', (ctx) =>
    ctx.tx.run<OrderNeedingAttention>(sql`
      select tenant_id as "tenantId", id, order_number as "orderNumber", attention_code as code,
        attention_detail as detail, updated_at as "updatedAt"
      from orders where attention_code is not null order by attention_code, id limit ${limit}`));
  return orders.filter(({ code }) => !isReasonCode(code) && code !== 'duplicate_voided');
}

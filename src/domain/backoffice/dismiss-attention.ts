import { transact } from '#src/database/transact.ts';
import { DomainError, found } from '#src/lib/errors.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { lockOrder, saveOrder } from '../orders/index.ts';

/**
 * Close one attention of an order. The others stay open. Dismissing the last one twice is harmless.
 * @throws DomainError not_found, or conflict `version_conflict` when only attentions of other codes are open
 */
export async function dismissAttention(
  ctx: Context,
  { orderId, code }: { orderId: string; code: string },
): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = found(await lockOrder(ctx, orderId), 'order');
    if (order.attentions.length === 0) return;
    const attention = order.attentions.find((open) => open.code === code);
    if (!attention)
      throw new DomainError('conflict', 'version_conflict', 'The order needs attention for another reason now.');
    order.resolve(code);
    await saveOrder(ctx, order);
    await recordAudit(ctx, {
      action: 'order.attention_dismissed',
      subjectKind: 'order',
      subjectId: orderId,
      before: { ...attention },
    });
  });
}

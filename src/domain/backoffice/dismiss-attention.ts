import { DomainError, found } from '#src/lib/errors.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { transact } from '../database.ts';
import { lockOrder, saveOrder } from '../orders/index.ts';

/**
 * The owner has seen to what was the matter with an order. Naming it makes sure that nothing else is dismissed that came
 * up meanwhile, and that comes to the front; what is dismissed already stays so.
 *
 * @throws DomainError not_found, or conflict `version_conflict` when something else is the matter
 */
export async function dismissAttention(ctx: Context, { orderId, code }: { orderId: string; code: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = found(await lockOrder(ctx, orderId), 'order');
    const { attentionCode, attentionDetail: detail } = order;
    if (!attentionCode) return;
    if (attentionCode !== code) {
      throw new DomainError('conflict', 'version_conflict', 'Something else is the matter with this order now.');
    }
    order.withdraw(code);
    await saveOrder(ctx, order);
    await recordAudit(ctx, {
      action: 'order.attention_dismissed', subjectKind: 'order', subjectId: orderId, before: { code, detail },
    });
  });
}

import { lockRow } from '#src/database/lock-row.ts';
import { transact } from '#src/database/transact.ts';
import { found } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/record-event.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, releaseReturn } from '../orders/index.ts';
import { sumByItem } from './match-items.ts';
import { type ReturnRecord, readReturn } from './read-returns.ts';
import { Return, type ReturnStatus } from './return.ts';
import { returnNotAllowed } from './return-not-allowed.ts';
import { notifyShopper } from './tell-shopper.ts';

/** What the owner decides about a return. `note` is for the shopper. */
export interface ReturnDecision {
  readonly returnId: string;
  readonly note?: string | null | undefined;
}

/**
 * Move a return on, write that into the audit log, and tell the shopper and who listens. What it is already changes
 * nothing.
 *
 * @param also what else follows, in the same transaction
 * @throws DomainError not_found, or `return_not_allowed` where it cannot go there from where it is
 */
export async function moveReturn(
  ctx: Context,
  { returnId, note }: ReturnDecision,
  status: ReturnStatus,
  also?: (ctx: InTransaction, moved: ReturnRecord, before: ReturnStatus) => Promise<void>,
): Promise<ReturnRecord> {
  return transact(ctx, async (ctx) => {
    const locked = await lockReturn(ctx, returnId);
    const before = locked.status;
    if (before !== status) {
      if (!locked.mayMoveTo(status))
        throw returnNotAllowed('wrong_status', `A return that is ${before} cannot become ${status}.`);
      locked.moveTo(status);
      locked.note = note ?? null;
      locked.updatedAt = ctx.clock.now();
      await ctx.tx.em.flush();
    }
    const moved = found(await readReturn(ctx, returnId), 'return');
    if (before === status) return moved;

    await also?.(ctx, moved, before);
    await recordAudit(ctx, {
      action: `return.${status}`,
      subjectKind: 'return',
      subjectId: returnId,
      before: { status: before },
      after: { status },
    });
    recordEvent(ctx, 'return.updated', returnId);
    await notifyShopper(ctx, moved);
    return moved;
  });
}

/** What it asked for is not coming back: another return may ask for the same. */
export async function releaseItems(ctx: InTransaction, { orderId, items }: ReturnRecord): Promise<void> {
  await releaseReturn(
    ctx,
    orderId,
    sumByItem(items.map(({ orderItemId, quantity }) => ({ itemId: orderItemId, quantity }))),
  );
}

/** The return, locked after its order, which is locked first of all in every transaction. */
async function lockReturn(ctx: InTransaction, id: string): Promise<Return> {
  const [row] = await ctx.tx.execute<{ orderId: string }>(sql`
    select order_id as "orderId" from returns where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  await lockOrder(ctx, found(row, 'return').orderId);
  return found(await lockRow(ctx, Return, id), 'return');
}

import { transact } from '#src/database/transact.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { endOperation, lockOpenOperation, type Operation } from './operation.ts';

/** Cancel an operation. What was applied before stays. One that has ended stays as it is. */
export async function cancelOperation(ctx: Context, { id, type }: Pick<Operation, 'id' | 'type'>): Promise<void> {
  await transact(ctx, async (ctx) => {
    const operation = await lockOpenOperation(ctx, id);
    if (operation?.type !== type) return;
    await endOperation(ctx, operation, 'canceled');
    await recordAudit(ctx, { action: `${type}.canceled`, subjectKind: type, subjectId: id });
  });
}

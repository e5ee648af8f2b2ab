import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { DatabaseContext, WithTransaction } from './context.ts';

/**
 * Do a part of a transaction that is undone alone: when it throws a `DomainError`, or with `isUndone` in any case. Then
 * its rows, jobs and events are gone, and the transaction continues. Any other error fails the whole transaction.
 */
export async function inSavepoint<Ctx extends DatabaseContext, Result>(
  ctx: WithTransaction<Ctx>,
  work: (ctx: WithTransaction<Ctx>) => Promise<Result>,
  { isUndone = false }: { isUndone?: boolean } = {},
): Promise<Result> {
  const { tx } = ctx;
  const lists = [tx.changes, tx.jobs, tx.events].map((list) => ({ list, length: list.length }));
  await tx.em.flush();
  await tx.execute(sql`savepoint part`);
  const undo = async () => {
    tx.em.clear();
    for (const { list, length } of lists) list.length = length;
    await tx.execute(sql`rollback to savepoint part`);
  };
  try {
    const result = await work(ctx);
    await tx.em.flush();
    if (isUndone) await undo();
    await tx.execute(sql`release savepoint part`);
    return result;
  } catch (error) {
    if (error instanceof DomainError) {
      await undo();
      await tx.execute(sql`release savepoint part`);
    }
    throw error;
  }
}

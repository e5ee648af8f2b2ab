import { applyBatches as applyBatchesJob } from '#jobs/bulk.ts';
import { inSavepoint } from '#src/database/savepoint.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Change } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';
import { applyItems, type Item, type ItemWork, type Outcome, rowAt } from './apply-items.ts';
import { changeItems } from './changes/change-items.ts';
import { importItems } from './import-items.ts';
import { endOperation, lockOpenOperation, type Operation } from './operation.ts';
import { pauseAfterBatch, type Slice, startSlice } from './run-slice.ts';

/**
 * Apply the batches of an operation. Each is one transaction that also removes it and counts its rows: a process that
 * is killed does nothing twice.
 */
export async function applyBatches(ctx: Context, { operationId, number }: Slice): Promise<void> {
  const isLast = startSlice(ctx);
  for (;;) {
    const startedAt = performance.now();
    const next = isLast() ? { operationId, number: number + 1 } : undefined;
    const isLeft = await (next ? completeJob : transact)(ctx, async (ctx) => {
      const operation = await lockOpenOperation(ctx, operationId);
      if (!operation || !(await applyBatch(ctx, operation))) return false;
      if (next) enqueue(ctx, applyBatchesJob, next);
      return true;
    });
    if (next || !isLeft) return;
    await pauseAfterBatch(startedAt);
  }
}

/** @returns false when none is left */
async function applyBatch(ctx: InTransaction, operation: Operation): Promise<boolean> {
  // A plan that was made for nearly empty tables would read all rows of the store for each that it looks up.
  await ctx.tx.execute(sql`discard plans`);
  const [batch] = await ctx.tx.execute<{ items: Item[] }>(sql`
    delete from bulk_batches where tenant_id = ${ctx.tenant.id} and operation_id = ${operation.id} and position = (
      select min(position) from bulk_batches where tenant_id = ${ctx.tenant.id} and operation_id = ${operation.id})
    returning items`);
  if (!batch) {
    await endOperation(ctx, operation, 'completed');
    return false;
  }
  const isUndone = operation.options['dry_run'] === true;
  const work = operation.type === 'import' ? importItems(ctx, operation) : changeItems(operation);
  // The audit log shows who requested the operation.
  const actor = { ...ctx, actor: operation.requestedBy };
  const outcomes = await inSavepoint(actor, (ctx) => applyItems(ctx, work, batch.items), { isUndone });
  await recordOutcomes(ctx, operation, work, outcomes);
  return true;
}

/** How many changes of a dry run are shown. */
const samplesMax = 50;

async function recordOutcomes(
  ctx: InTransaction,
  operation: Operation,
  { isUndoable }: ItemWork,
  outcomes: readonly Outcome[],
): Promise<void> {
  const made = outcomes.flatMap((outcome) => ('change' in outcome ? outcome.change : []));
  const count = (...actions: Change['action'][]) => made.filter(({ action }) => actions.includes(action)).length;
  const shown = operation.options['dry_run'] === true ? made.filter(({ action }) => action !== 'unchanged') : [];
  const changes = [...operation.changes, ...shown].slice(0, samplesMax);
  const rows = outcomes.reduce((sum, { item }) => sum + item.cells.length, 0);
  const rejected = rejectedRowsOf(outcomes);
  await ctx.tx.execute(sql`
    with rejected as (
      insert into bulk_rejected_rows (tenant_id, operation_id, row_number, cells, problem)
      select ${ctx.tenant.id}, ${operation.id}, "row", cells, problem
      from jsonb_to_recordset(${JSON.stringify(rejected)}::jsonb) as r("row" int, cells jsonb, problem text)),
    changed as (
      insert into bulk_changed_items (tenant_id, operation_id, row_number, item_id, "values")
      select ${ctx.tenant.id}, ${operation.id}, "row", id, "values"
      from jsonb_to_recordset(${JSON.stringify(isUndoable ? changedItemsOf(outcomes) : [])}::jsonb)
        as c("row" int, id text, "values" jsonb))
    update bulk_operations set state = 'running', started_at = coalesce(started_at, ${ctx.clock.now()}),
      rows_done = rows_done + ${rows}, rows_failed = rows_failed + ${rejected.length},
      created = created + ${count('created')}, updated = updated + ${count('updated', 'removed')},
      unchanged = unchanged + ${count('unchanged')}, changes = ${JSON.stringify(changes)}::jsonb
    where tenant_id = ${ctx.tenant.id} and id = ${operation.id}`);
}

/** A thing of several rows is rejected with all of them; the reason stands in its first. */
function rejectedRowsOf(outcomes: readonly Outcome[]): object[] {
  return outcomes.flatMap((outcome) =>
    'problem' in outcome
      ? outcome.item.cells.map((cells, index) => ({
          row: rowAt(outcome.item, index),
          cells,
          problem: index === 0 ? outcome.problem : '',
        }))
      : [],
  );
}

function changedItemsOf(outcomes: readonly Outcome[]): object[] {
  return outcomes.flatMap((outcome) =>
    'change' in outcome && outcome.change.action !== 'unchanged'
      ? { row: outcome.item.row, id: outcome.item.cells[0]?.[0], values: outcome.change.values ?? {} }
      : [],
  );
}

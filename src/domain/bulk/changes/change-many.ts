import { applyBatches } from '#jobs/bulk.ts';
import { lockName } from '#src/database/lock-names.ts';
import { inSavepoint } from '#src/database/savepoint.ts';
import { transact } from '#src/database/transact.ts';
import { DomainError, invalidRequest, rejectIssues } from '#src/lib/errors.ts';
import { closed } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type Issue, issuesOf } from '#src/lib/validation.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../../audit/index.ts';
import type { Context, InTransaction } from '../../context.ts';
import { applyItems, type Item, type Outcome } from '../apply-items.ts';
import { checkLimits } from '../limits.ts';
import {
  endOperation,
  insertOperation,
  lockOpenOperation,
  type Operation,
  readOperation,
  type Sample,
} from '../operation.ts';
import { changeItems } from './change-items.ts';
import { type ChangeKind, subjectsOf } from './change-kind.ts';
import { changeKindOf } from './index.ts';

/** What is changed, by ids or by a filter of its kind, and how. */
export interface ChangeRequest {
  readonly kind: ChangeKind;
  readonly ids?: readonly string[] | undefined;
  readonly filter?: unknown;
  readonly change?: unknown;
}

/** More than that is selected by several filters. */
const selectedMax = 200_000;

/** How many previews of a store wait to be run. An older one ends, so that what they selected does not pile up. */
const previewsMax = 10;

/** How many of the selected things a preview shows. */
const samplesMax = 20;

/**
 * Store what is selected, and how the first of it would change. Nothing is changed before `runChange`, which changes
 * what was selected here.
 * @returns the id of the bulk change
 * @throws DomainError `invalid_request`
 */
export async function previewChange(ctx: Context, { kind, ids, filter, change = {} }: ChangeRequest): Promise<string> {
  rejectInvalid('/change', issuesOf(closed(kind.change), change).map(inWords(kind)));
  rejectInvalid('/change', kind.check?.(ctx, change as object) ?? []);
  if (ids === undefined) rejectInvalid('/filter', issuesOf(closed(kind.filter), filter));
  return transact(ctx, async (ctx) => {
    const options = change as Operation['options'];
    const id = await insertOperation(ctx, 'chg', {
      type: 'bulk_change',
      kind: kind.name,
      format: 'ids',
      options,
      filter: ids === undefined ? (filter as NonNullable<Operation['filter']>) : null,
      state: 'previewed',
    });
    const selected =
      ids === undefined
        ? sql`select id, null::jsonb as "values" from (${kind.select(ctx, filter as object)}) as s`
        : sql`select distinct id, null::jsonb as "values" from unnest(${ids}::text[]) as s(id)`;
    await storeBatches(ctx, id, kind, selected);
    const samples = await sampleOf(ctx, { id, kind: kind.name, options, undoes: null });
    await ctx.tx.execute(sql`
      update bulk_operations set changes = ${JSON.stringify(samples)}::jsonb
      where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    await endOlderPreviews(ctx);
    return id;
  });
}

/**
 * Previews of a store that are made at the same time wait for each other, so that each counts the others. The older ones
 * are locked, so that one that is run meanwhile goes on.
 */
async function endOlderPreviews(ctx: InTransaction): Promise<void> {
  await lockName(ctx, 'bulk', 'previews');
  const older = await ctx.tx.execute<Pick<Operation, 'id' | 'type'>>(sql`
    select id, type from bulk_operations
    where tenant_id = ${ctx.tenant.id} and finished_at is null and state = 'previewed'
    order by id desc offset ${previewsMax} for update`);
  for (const each of older) await endOperation(ctx, each, 'failed', 'Newer previews took its place. Preview it again.');
}

/** A field that is not known is rejected: without it a filter would select more than was meant. */
function rejectInvalid(path: string, issues: readonly Issue[]): void {
  rejectIssues(issues.map((issue) => ({ ...issue, path: path + issue.path })));
}

/** How a kind says that one of several fields is needed. */
const inWords =
  ({ choice }: ChangeKind) =>
  (issue: Issue): Issue =>
    choice && (issue.code === 'oneOf' || issue.code === 'minProperties') ? { ...issue, detail: choice } : issue;

/** Store the rows `id` and `values` of a query as items of an operation. */
async function storeBatches(
  ctx: InTransaction,
  operationId: string,
  { batchSize }: ChangeKind,
  selected: Sql,
): Promise<void> {
  const [{ total } = { total: 0 }] = await ctx.tx.execute<{ total: number }>(sql`
    with stored as (
      insert into bulk_batches (tenant_id, operation_id, position, items)
      select ${ctx.tenant.id}, ${operationId}, min("row"), json_agg(json_build_object(
        'row', "row", 'cells', json_build_array(json_build_array(id)), 'values', "values") order by "row")
      from (
        select id, "values", row_number() over (order by id)::int as "row"
        from (${selected} limit ${selectedMax + 1}) as s) as numbered
      group by ("row" - 1) / ${batchSize}::int
      returning json_array_length(items) as items),
    counted as (select coalesce(sum(items), 0)::int as total from stored)
    update bulk_operations set rows_total = total, rows_read = total from counted
    where tenant_id = ${ctx.tenant.id} and id = ${operationId}
    returning rows_total as total`);
  if (total > selectedMax) throw invalidRequest(`More than ${selectedMax} are selected. Narrow the filter.`);
}

async function sampleOf(
  ctx: InTransaction,
  operation: Pick<Operation, 'id' | 'kind' | 'options' | 'undoes'>,
): Promise<readonly Sample[]> {
  const batches = await ctx.tx.execute<{ items: Item[] }>(sql`
    select items from bulk_batches where tenant_id = ${ctx.tenant.id} and operation_id = ${operation.id}
    order by position limit 2`);
  const items = batches.flatMap((batch) => batch.items).slice(0, samplesMax);
  const outcomes = await inSavepoint(ctx, (ctx) => applyItems(ctx, changeItems(operation), items), { isUndone: true });
  const rejected = outcomes.filter((outcome) => 'problem' in outcome).map(({ item }) => idOf(item));
  const subjects = await subjectsOf(ctx, changeKindOf(operation), rejected);
  return outcomes.map((outcome) => sampleOfOutcome(outcome, subjects));
}

const idOf = ({ cells: [[id = ''] = []] }: Item): string => id;

/** What is rejected has no change that names it. */
function sampleOfOutcome(outcome: Outcome, subjects: ReadonlyMap<string, string>): Sample {
  if ('change' in outcome) return outcome.change;
  const id = idOf(outcome.item);
  return { subject: subjects.get(id) ?? id, action: 'rejected', fields: [], problem: outcome.problem };
}

/**
 * Run a bulk change that was previewed. One that was run before stays as it is.
 * @throws DomainError `not_runnable`, `rate_limited`
 */
export async function runChange(ctx: Context, { id }: Pick<Operation, 'id'>): Promise<void> {
  await transact(ctx, async (ctx) => {
    const operation = (await lockOpenOperation(ctx, id)) ?? (await readOperation(ctx, 'bulk_change', id));
    if (operation?.state === 'canceled') throw notRunnable('It was canceled. Preview it again.');
    if (operation?.state === 'failed') throw notRunnable(operation.failure ?? 'It failed. Preview it again.');
    if (operation?.state !== 'previewed') return;
    await checkLimits(ctx);
    await ctx.tx.execute(sql`
      update bulk_operations set state = 'queued' where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    await start(ctx, operation);
  });
}

const notRunnable = (reason: string) => new DomainError('conflict', 'not_runnable', reason);

async function start(
  ctx: InTransaction,
  { id, kind, options, undoes }: Pick<Operation, 'id' | 'kind' | 'options' | 'undoes'>,
): Promise<void> {
  enqueue(ctx, applyBatches, { operationId: id, number: 0 });
  const after = { kind, change: options, ...(undoes !== null && { undo_of: undoes }) };
  await recordAudit(ctx, { action: 'bulk_change.started', subjectKind: 'bulk_change', subjectId: id, after });
}

/** Whether a bulk change has changed anything that can be undone, and that is not undone yet. */
export function canUndo(operation: Operation): boolean {
  const { undo } = changeKindOf(operation);
  return Boolean(undo && operation.finishedAt && operation.updated > 0 && operation.undoneBy === null);
}

/**
 * Undo a bulk change, by another one that runs at once. What was changed since stays as it is.
 * @returns the id of the other one, also where it exists already
 * @throws DomainError `not_undoable`
 */
export async function undoChange(ctx: Context, { id }: Pick<Operation, 'id'>): Promise<string> {
  return transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      select 1 from bulk_operations where tenant_id = ${ctx.tenant.id} and id = ${id} for update`);
    const operation = await readOperation(ctx, 'bulk_change', id);
    if (operation?.undoneBy) return operation.undoneBy;
    if (!operation || !canUndo(operation)) throw notUndoable();
    const { type, kind, format, options } = operation;
    const undo = { type, kind, format, options, undoes: id };
    const undoId = await insertOperation(ctx, 'chg', { ...undo, state: 'queued' });
    const changed = sql`
      select item_id as id, "values" from bulk_changed_items
      where tenant_id = ${ctx.tenant.id} and operation_id = ${id}`;
    await storeBatches(ctx, undoId, changeKindOf(operation), changed);
    await start(ctx, { ...undo, id: undoId });
    return undoId;
  });
}

const notUndoable = () =>
  new DomainError(
    'conflict',
    'not_undoable',
    'This cannot be undone: it has not ended, has changed nothing, or is of a kind that cannot be undone.',
  );

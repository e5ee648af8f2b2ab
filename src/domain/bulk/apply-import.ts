import { setTimeout as pause } from 'node:timers/promises';
import { applyImport as applyImportJob } from '#jobs/bulk.ts';
import { inSavepoint } from '#src/database/savepoint.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type Issue, issuesOf } from '#src/lib/validation.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudits } from '../audit/index.ts';
import type { Change } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';
import { cellOf } from './csv.ts';
import type { ImportKind, ImportMode, Row } from './import-kind.ts';
import { importKindOf, tableOf } from './kinds/index.ts';
import { endOperation, lockOpenOperation, type Operation } from './operation.ts';
import type { Item } from './read-import.ts';
import { type Slice, startSlice } from './run-slice.ts';

/** A pause is as long as the batch before it took, so that orders get at least half of PostgreSQL's time. */
const pauseMaxMs = 500;

/**
 * Apply the batches of an import. Each is one transaction that also removes it and counts its rows: a process that is
 * killed does nothing twice.
 */
export async function applyImport(ctx: Context, { operationId, number }: Slice): Promise<void> {
  const isLast = startSlice(ctx);
  for (;;) {
    const startedAt = performance.now();
    const next = isLast() ? { operationId, number: number + 1 } : undefined;
    const isLeft = await (next ? completeJob : transact)(ctx, async (ctx) => {
      const operation = await lockOpenOperation(ctx, operationId);
      if (!operation || !(await applyBatch(ctx, operation))) return false;
      if (next) enqueue(ctx, applyImportJob, next);
      return true;
    });
    if (next || !isLeft) return;
    await pause(Math.min(performance.now() - startedAt, pauseMaxMs));
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
  // The audit log shows who imported the file.
  const actor = { ...ctx, actor: operation.requestedBy };
  const outcomes = await inSavepoint(actor, (ctx) => importItems(ctx, operation, batch.items), { isUndone });
  await recordOutcomes(ctx, operation, outcomes);
  return true;
}

/** What became of an item: what saving it changed, or why it was rejected. */
type Outcome = { readonly item: Item } & ({ readonly change: Change } | { readonly problem: string });

async function importItems(
  ctx: InTransaction,
  operation: Operation,
  items: readonly Item[],
): Promise<readonly Outcome[]> {
  const kind = importKindOf(operation);
  const mode: ImportMode = operation.options['mode'] === 'create' ? 'create' : 'upsert';
  const readValue = valueReader(ctx, kind, operation);
  const read = items.map((item) => unlessRejected(item, () => ({ item, value: readValue(item) })));
  const valid = read.filter((each) => 'value' in each);
  const rejected = read.filter((each) => 'problem' in each);
  return [...rejected, ...(await saveValid(ctx, kind, mode, valid))];
}

/** The value of an item as its kind's schema describes it. */
function valueReader(ctx: Context, { schema }: ImportKind, operation: Operation): (item: Item) => unknown {
  const table = tableOf(operation);
  return ({ cells }) => {
    const [[line = ''] = []] = cells;
    const value = table
      ? table.valueOf(
          cells.map((row) => rowOf(operation.columns ?? [], row)),
          ctx,
        )
      : parseJson(line);
    const issues = issuesOf(schema, value);
    if (issues.length > 0) throw invalidRequest('The row is not valid.', ...issues);
    return value;
  };
}

function rowOf(columns: readonly string[], cells: readonly string[]): Row {
  if (cells.length !== columns.length) {
    throw invalidRequest(`The row has ${cells.length} cells, and the header has ${columns.length}.`);
  }
  return Object.fromEntries(columns.map((name, index) => [name, cellOf(cells[index]?.trim() ?? '')]));
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw invalidRequest('The line is not JSON.');
  }
}

interface Valid {
  readonly item: Item;
  readonly value: unknown;
}

/** Save all at once or, if one of them is rejected, each alone. */
async function saveValid(
  ctx: InTransaction,
  kind: ImportKind,
  mode: ImportMode,
  valid: readonly Valid[],
): Promise<readonly Outcome[]> {
  if (valid.length === 0) return [];
  try {
    return await inSavepoint(ctx, (ctx) => saveTogether(ctx, kind, mode, valid));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const [{ item } = { item: undefined }, ...others] = valid;
    if (item && others.length === 0) return [{ item, problem: problemOf(error) }];
  }
  const outcomes: Outcome[] = [];
  for (const each of valid) outcomes.push(...(await saveValid(ctx, kind, mode, [each])));
  return outcomes;
}

async function saveTogether(
  ctx: InTransaction,
  kind: ImportKind,
  mode: ImportMode,
  valid: readonly Valid[],
): Promise<Outcome[]> {
  const changes = await kind.save(
    ctx,
    valid.map(({ value }) => value),
    mode,
  );
  const { auditedAs } = kind;
  const made = changes.filter(({ action }) => auditedAs && action !== 'unchanged');
  if (made.length > 0) {
    await recordAudits(
      ctx,
      made.map(({ action, subject, fields }) => ({
        action: `${auditedAs}.${action}`,
        subjectKind: auditedAs ?? '',
        subjectId: subject,
        after: { fields },
      })),
    );
  }
  return valid.map(({ item }, index) => {
    const change = changes[index];
    if (!change) throw new TypeError(`Importing ${kind.name} returned too few changes.`);
    return { item, change };
  });
}

function unlessRejected<Result>(item: Item, work: () => Result): Result | { item: Item; problem: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof DomainError) return { item, problem: problemOf(error) };
    throw error;
  }
}

/** What is wrong, in words: each issue with its place, or else the message. */
function problemOf({ message, extensions }: DomainError): string {
  const { errors } = extensions;
  const issues = Array.isArray(errors) ? (errors as readonly Issue[]) : [];
  const details = issues.filter(({ path }) => path !== '').map(({ path, detail }) => `${path.slice(1)} ${detail}.`);
  return details.length > 0 ? details.join(' ') : message;
}

/** How many changes of a dry run are shown. */
const changesMax = 50;

async function recordOutcomes(ctx: InTransaction, operation: Operation, outcomes: readonly Outcome[]): Promise<void> {
  const made = outcomes.flatMap((outcome) => ('change' in outcome ? outcome.change : []));
  const count = (...actions: Change['action'][]) => made.filter(({ action }) => actions.includes(action)).length;
  const rejected = outcomes.flatMap((outcome) =>
    'problem' in outcome
      ? outcome.item.cells.map((cells, index) => ({
          row: outcome.item.row + index,
          cells,
          // A thing of several rows is rejected with all of them; the reason stands in its first.
          problem: index === 0 ? outcome.problem : '',
        }))
      : [],
  );
  const shown = operation.options['dry_run'] === true ? made.filter(({ action }) => action !== 'unchanged') : [];
  const changes = [...operation.changes, ...shown].slice(0, changesMax);
  const rows = outcomes.reduce((sum, { item }) => sum + item.cells.length, 0);
  await ctx.tx.execute(sql`
    with rejected as (
      insert into bulk_rejected_rows (tenant_id, operation_id, row_number, cells, problem)
      select ${ctx.tenant.id}, ${operation.id}, "row", cells, problem
      from jsonb_to_recordset(${JSON.stringify(rejected)}::jsonb) as r("row" int, cells jsonb, problem text))
    update bulk_operations set rows_done = rows_done + ${rows}, rows_failed = rows_failed + ${rejected.length},
      created = created + ${count('created')}, updated = updated + ${count('updated', 'removed')},
      unchanged = unchanged + ${count('unchanged')}, changes = ${JSON.stringify(changes)}::jsonb
    where tenant_id = ${ctx.tenant.id} and id = ${operation.id}`);
}

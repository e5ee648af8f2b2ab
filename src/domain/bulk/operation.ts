import { asPlatform, read, readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { hours } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Change } from '../change.ts';
import type { Actor, Context, InTransaction, PlatformContext } from '../context.ts';
import { isOfStore } from '../tenants/index.ts';
import { checkLimits, receivingMs } from './limits.ts';

export const operationTypes = ['import', 'export', 'bulk_change'] as const;
export type OperationType = (typeof operationTypes)[number];
const startedStates = ['queued', 'running', 'completed', 'failed', 'canceled'] as const;
/** The states of an import or an export. */
export const fileStates = ['receiving', ...startedStates] as const;
/** The states of a bulk change. */
export const changeStates = ['previewed', ...startedStates] as const;
export type OperationState = (typeof fileStates | typeof changeStates)[number];

/** An import or an export of a whole file, or a change of many things. */
export interface Operation {
  readonly id: string;
  readonly type: OperationType;
  readonly kind: string;
  readonly format: string;
  /**
   * What was requested besides: `mode` and `dry_run` of an import, `from` and `to` of an export, and how a bulk change
   * changes what is selected.
   */
  readonly options: Readonly<Record<string, unknown>>;
  /** By what a bulk change selected; null where ids were given. */
  readonly filter: Readonly<Record<string, unknown>> | null;
  readonly state: OperationState;
  readonly requestedBy: Actor;
  readonly fileBytes: number;
  readonly bytesRead: number;
  readonly columns: readonly string[] | null;
  readonly separator: string | null;
  readonly rowsRead: number;
  /** The number of the last of them in an imported file. */
  readonly lastRow: number;
  /** Null until the whole file was read. */
  readonly rowsTotal: number | null;
  readonly rowsDone: number;
  readonly rowsFailed: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly changes: readonly Sample[];
  readonly failure: string | null;
  /** Of a bulk change: which other one it undoes, and which one undoes it. */
  readonly undoes: string | null;
  readonly undoneBy: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** What a dry run or a preview found. */
export interface Sample extends Pick<Change, 'subject' | 'fields' | 'values'> {
  readonly action: Change['action'] | 'rejected';
  /** Why it is rejected. */
  readonly problem?: string;
}

/** The kind of an export of what is stored about one person: its filter has the email. */
export const personalDataKind = 'personal_data';

/** What was previewed longer ago may have changed much since. */
const previewedMs = hours(24);

/** Why an upload that ended in the middle failed. */
export const incompleteFile = 'The file was not received completely. Nothing was imported.';
const expiredPreview = 'It was not run within 24 hours. Preview it again.';

const columnsOf = ({ clock }: Pick<Context, 'clock'>) => {
  const expiry = sql`case
    when state = 'receiving' and created_at < ${fromNow(clock, -receivingMs)}::timestamptz then ${incompleteFile}
    when state = 'previewed' and created_at < ${fromNow(clock, -previewedMs)}::timestamptz then ${expiredPreview} end`;
  return sql`id, type, kind, format, options, filter, case when ${expiry} is null then state else 'failed' end as state,
    requested_by as "requestedBy", file_bytes as "fileBytes", bytes_read as "bytesRead", columns, separator,
    rows_read as "rowsRead", last_row as "lastRow", rows_total as "rowsTotal", rows_done as "rowsDone",
    rows_failed as "rowsFailed",
    created, updated, unchanged, changes, coalesce(${expiry}, failure) as failure, undoes, (
      select u.id from bulk_operations u where u.tenant_id = o.tenant_id and u.undoes = o.id
        and u.state not in ('failed', 'canceled')) as "undoneBy",
    created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt"`;
};

/**
 * Insert an operation that the context's actor requests.
 * @returns its id
 * @throws DomainError `rate_limited`
 */
export async function insertOperation(
  ctx: InTransaction,
  prefix: 'imp' | 'exp' | 'chg',
  operation: Pick<Operation, 'type' | 'kind' | 'format' | 'options' | 'state'> & {
    readonly filter?: Operation['filter'];
    readonly undoes?: string;
  },
): Promise<string> {
  if (operation.state !== 'previewed') await checkLimits(ctx);
  const id = newId(prefix);
  const { type, kind, format, options, filter = null, state, undoes = null } = operation;
  const requestedBy = { kind: ctx.actor.kind, id: ctx.actor.id };
  await ctx.tx.execute(sql`
    insert into bulk_operations (tenant_id, id, type, kind, format, options, filter, state, undoes, requested_by,
      created_at)
    values (${ctx.tenant.id}, ${id}, ${type}, ${kind}, ${format}, ${JSON.stringify(options)}::jsonb,
      ${filter && JSON.stringify(filter)}::jsonb, ${state}, ${undoes}, ${JSON.stringify(requestedBy)}::jsonb,
      ${ctx.clock.now()})`);
  return id;
}

/** @returns the operation, or `undefined` for an unknown id */
export async function readOperation(ctx: Context, type: OperationType, id: string): Promise<Operation | undefined> {
  return readOne<Operation>(
    ctx,
    sql`
    select ${columnsOf(ctx)} from bulk_operations o
    where tenant_id = ${ctx.tenant.id} and id = ${id} and type = ${type}`,
  );
}

/**
 * One page of the operations of these kinds, newest first.
 * @throws DomainError `invalid_cursor`
 */
export async function listOperations(
  ctx: Context,
  { type, kinds, cursor, limit = 20 }: PageRequest & { type: OperationType; kinds: readonly string[] },
): Promise<Page<Operation>> {
  const list = keyset(ctx, `bulk ${type}`, { columns: ['id'], descending: true }, cursor);
  // The newest of each kind. Sorted by it as well, they are read from the index that leaves out those of other kinds.
  const rows = await read<Operation & { readonly position: Position }>(
    ctx,
    sql`
    select ${columnsOf(ctx)}, ${list.position} as position
    from unnest(${kinds}::text[]) as wanted cross join lateral (
      select * from bulk_operations
      where tenant_id = ${ctx.tenant.id} and type = ${type} and kind between wanted and wanted and ${list.after}
      order by kind desc, ${list.by} limit ${limit + 1}) as o
    order by ${list.by} limit ${limit + 1}`,
  );
  return list.page(rows, limit);
}

/** An operation in progress, as operators see it. */
export interface OpenOperation
  extends Pick<Operation, 'id' | 'type' | 'kind' | 'state' | 'rowsDone' | 'rowsTotal' | 'rowsFailed' | 'createdAt'> {
  readonly tenantId: string;
}

/** The operations of every store that are in progress, the oldest first. */
export async function openOperations(ctx: PlatformContext, limit: number): Promise<OpenOperation[]> {
  return asPlatform(ctx, 'operators see the imports, exports and bulk changes of every store', (ctx) =>
    ctx.tx.execute<OpenOperation>(sql`
    select tenant_id as "tenantId", id, type, kind, state, rows_done as "rowsDone",
      rows_total as "rowsTotal", rows_failed as "rowsFailed", created_at as "createdAt"
    from bulk_operations
    where finished_at is null and state <> 'previewed' and ${isOfStore(sql`tenant_id`)}
    order by created_at limit ${limit}`),
  );
}

/** Lock an operation until the transaction ends. @returns `undefined` when it has ended, or is unknown */
export async function lockOpenOperation(ctx: InTransaction, id: string): Promise<Operation | undefined> {
  const [operation] = await ctx.tx.execute<Operation>(sql`
    select ${columnsOf(ctx)} from bulk_operations o
    where tenant_id = ${ctx.tenant.id} and id = ${id} and finished_at is null for update`);
  return operation;
}

/** End an operation: what its batches and chunks hold is not needed any more, except the file of a completed export. */
export async function endOperation(
  ctx: InTransaction,
  { id, type }: Pick<Operation, 'id' | 'type'>,
  state: 'completed' | 'failed' | 'canceled',
  failure: string | null = null,
): Promise<void> {
  const hasFile = type === 'export' && state === 'completed';
  await ctx.tx.execute(sql`
    with batches as (delete from bulk_batches where tenant_id = ${ctx.tenant.id} and operation_id = ${id}),
    chunks as (
      delete from bulk_chunks where tenant_id = ${ctx.tenant.id} and operation_id = ${id} and not ${hasFile}::boolean)
    update bulk_operations set state = ${state}, failure = ${failure}, finished_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
}

/** Cancel an operation. What was applied before stays. One that has ended stays as it is. */
export async function cancelOperation(ctx: Context, { id, type }: Pick<Operation, 'id' | 'type'>): Promise<void> {
  await transact(ctx, async (ctx) => {
    const operation = await lockOpenOperation(ctx, id);
    if (operation?.type !== type) return;
    await endOperation(ctx, operation, 'canceled');
    await recordAudit(ctx, { action: `${type}.canceled`, subjectKind: type, subjectId: id });
  });
}

/** Record that an operation failed because its job did. What was applied before stays. */
export async function failOperation(ctx: Context, { operationId }: { operationId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const operation = await lockOpenOperation(ctx, operationId);
    if (operation) await endOperation(ctx, operation, 'failed', 'An internal error occurred.');
  });
}

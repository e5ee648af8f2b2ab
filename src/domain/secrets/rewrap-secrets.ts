import { asPlatform } from '#src/database/transact.ts';
import type { Keyring } from '#src/lib/keyring.ts';
import { rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction, PlatformContext } from '../context.ts';
import { idempotencySealedColumns } from '../idempotency/index.ts';
import { integrationSealedColumns } from '../integrations/index.ts';
import { paymentSealedColumns } from '../payments/index.ts';
import type { SealedColumn } from '../sealed-column.ts';
import { shippingSealedColumns } from '../shipping/index.ts';
import { staffSealedColumns } from '../staff/index.ts';
import { tenantSealedColumns } from '../tenants/index.ts';
import { webhookSealedColumns } from '../webhooks/index.ts';

/** All columns with sealed values. */
export const sealedColumns: readonly SealedColumn[] = [
  ...tenantSealedColumns,
  ...staffSealedColumns,
  ...idempotencySealedColumns,
  ...shippingSealedColumns,
  ...paymentSealedColumns,
  ...webhookSealedColumns,
  ...integrationSealedColumns,
];

const batchSize = 200;

/** The result for one column. */
export interface Rewrapped {
  readonly table: string;
  readonly column: string;
  readonly rewrapped: number;
  /** The rows whose value cannot be opened, because the key is missing or the value is damaged. They are unchanged. */
  readonly damaged: readonly { readonly tenantId: string; readonly id: string; readonly keyId: string }[];
}

/**
 * Seal all values of older keys again with the first key of the keyring, without downtime: in short transactions, each
 * value only if it has not changed since it was read, and without incrementing versions. It can be interrupted and run
 * again: finished values are not found any more.
 *
 * @param onProgress is called after each batch with the column and the number of its finished values
 */
export async function rewrapSecrets(
  ctx: PlatformContext,
  onProgress: (column: SealedColumn, rewrapped: number) => void = () => undefined,
): Promise<Rewrapped[]> {
  const done: Rewrapped[] = [];
  for (const column of sealedColumns) done.push(await rewrapColumn(ctx, column, (count) => onProgress(column, count)));
  return done;
}

interface SealedText {
  readonly tenantId: string;
  readonly id: string;
  readonly sealed: string;
}

async function rewrapColumn(
  ctx: PlatformContext,
  column: SealedColumn,
  onProgress: (count: number) => void,
): Promise<Rewrapped> {
  const damaged: { tenantId: string; id: string; keyId: string }[] = [];
  let rewrapped = 0;
  let after = { tenantId: '', id: '' };
  for (;;) {
    ctx.signal?.throwIfAborted();
    const batch = await asPlatform(ctx, 'sealed values of all stores get a new key', async (ctx) => {
      const texts = await ctx.tx.execute<SealedText>(staleTexts(ctx, column, after));
      const opened = texts.map((text) => ({ ...text, fresh: rewrap(ctx.keyring, column, text) }));
      return { texts: opened, written: await store(ctx, column, opened) };
    });
    for (const { tenantId, id, sealed, fresh } of batch.texts) {
      if (fresh === undefined) damaged.push({ tenantId, id, keyId: sealed.split(':')[0] ?? '' });
    }
    rewrapped += batch.written;
    const last = batch.texts.at(-1);
    if (last) onProgress(rewrapped);
    if (!last || batch.texts.length < batchSize)
      return { table: column.table, column: column.column, rewrapped, damaged };
    after = last;
  }
}

function staleTexts({ keyring }: PlatformContext, column: SealedColumn, after: { tenantId: string; id: string }): Sql {
  const { table, sealed, tenantId, id } = named(column);
  return sql`
    select ${tenantId} as "tenantId", ${id} as id, ${sealed} as sealed from ${table}
    where (${tenantId}, ${id}) > (${after.tenantId}, ${after.id}) and ${sealed} is not null
      and split_part(${sealed}, ':', 1) <> ${keyring.ids[0]}
    order by ${tenantId}, ${id} limit ${batchSize}`;
}

/** @returns `undefined` when the value cannot be opened */
function rewrap(keyring: Keyring, column: SealedColumn, { tenantId, id, sealed }: SealedText): string | undefined {
  const field = column.fieldOf(id);
  let plain: string;
  try {
    plain = keyring.open(tenantId, field, sealed);
  } catch {
    return undefined;
  }
  return keyring.seal(tenantId, field, plain);
}

/** A value that was replaced since it was read is left: it was sealed with the first key, or the next run finds it. */
async function store(
  ctx: InTransaction<PlatformContext>,
  column: SealedColumn,
  texts: readonly (SealedText & { fresh: string | undefined })[],
): Promise<number> {
  const { table, sealed, tenantId, id } = named(column);
  const written = await ctx.tx.execute(sql`
    update ${table} set ${sealed} = given.fresh
    from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb) as given("tenantId" text, id text, sealed text, fresh text)
    where ${table}.${tenantId} = given."tenantId" and ${table}.${id} = given.id and ${table}.${sealed} = given.sealed
      and given.fresh is not null
    returning 1`);
  return written.length;
}

/** The column's SQL identifiers, which come from constants and not from input. */
export function named(column: SealedColumn) {
  return {
    table: rawSql(column.table),
    sealed: rawSql(column.column),
    tenantId: rawSql(column.tenantColumn),
    id: rawSql(column.idColumn),
  };
}

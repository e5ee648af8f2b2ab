import { joinSql, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from './context.ts';

/** Somebody whom the store knows by an address, and what of the store's hangs on that somebody. */
export interface DataSubject {
  /** Trimmed, lower case. */
  readonly email: string;
  readonly customerId: string | null;
  readonly orderIds: readonly string[];
}

/**
 * One thing that a domain holds about people. Each domain lists its own in `personal-data.ts`; a test looks through the
 * schema for the column that nobody lists.
 */
export interface PersonalData {
  /** What the export calls it. */
  readonly name: string;
  /** The columns that tell of a person, as `table.column`. */
  readonly columns: readonly string[];
  /** Everything held of this person, row by row, the oldest first. */
  find(ctx: InTransaction, person: DataSubject): Promise<object[]>;
  /** Take the person out of it, in the caller's transaction. Answers how many rows were. */
  erase(ctx: InTransaction, person: DataSubject): Promise<number>;
}

interface Rows {
  readonly table: string;
  /** Where it is not the table's. */
  readonly name?: string;
  /** What else of a row the person is told. */
  readonly beside: readonly string[];
  /** The condition for the person's rows, beside the store. */
  of(person: DataSubject, ctx: Context): Sql;
}

/** Rows that are there for the person alone: they go. What hangs on them goes with them. */
export function removedRows({ personal, ...rows }: Rows & { readonly personal: readonly string[] }): PersonalData {
  const { table, of } = rows;
  return {
    ...described(rows, personal),
    erase: (ctx, person) =>
      count(
        ctx,
        sql`
      delete from ${rawSql(table)} where tenant_id = ${ctx.tenant.id} and (${of(person, ctx)}) returning 1`,
      ),
  };
}

/** Rows that the books need: they stay, and each personal column becomes what is said here. */
export function anonymisedRows({
  personal,
  touch,
  ...rows
}: Rows & {
  readonly personal: Readonly<Record<string, Sql>>;
  /** What else changes with them: a version that rises. */
  readonly touch?: Sql;
}): PersonalData {
  const { table, of } = rows;
  const changes = Object.entries(personal).map(([column, value]) => sql`${rawSql(column)} = ${value}`);
  return {
    ...described(rows, Object.keys(personal)),
    erase: (ctx, person) =>
      count(
        ctx,
        sql`
      update ${rawSql(table)} set ${joinSql(touch ? [...changes, touch] : changes, ', ')}
      where tenant_id = ${ctx.tenant.id} and (${of(person, ctx)}) returning 1`,
      ),
  };
}

/** Rows that tell nothing of a person by themselves, and that are told with the rest. They stay as they are. */
export function retainedRows(rows: Rows): PersonalData {
  return { ...described(rows, []), erase: async () => 0 };
}

/** Rows that are found by the address that they hold. */
export const byEmail =
  (column: string) =>
  ({ email }: DataSubject): Sql =>
    sql`lower(${rawSql(column)}) = ${email}`;

/** Rows that belong to the person's orders. */
export const byOrder = ({ orderIds }: DataSubject): Sql => sql`order_id = any(${orderIds})`;

function described(
  { table, name = table, beside, of }: Rows,
  personal: readonly string[],
): Omit<PersonalData, 'erase'> {
  const shown = [...beside, ...personal].map((column) => rawSql(column));
  return {
    name,
    columns: personal.map((column) => `${table}.${column}`),
    find: (ctx, person) =>
      ctx.tx.execute(sql`
      select ${joinSql(shown, ', ')} from ${rawSql(table)}
      where tenant_id = ${ctx.tenant.id} and (${of(person, ctx)}) order by ${rawSql(beside[0] ?? '1')}`),
  };
}

async function count(ctx: InTransaction, statement: Sql): Promise<number> {
  return (await ctx.tx.execute(statement)).length;
}

const nothing = sql`null`;

/** What a personal column becomes where nothing need be there. */
export const blank = <Column extends string>(...columns: Column[]): Record<Column, Sql> =>
  Object.fromEntries(columns.map((column) => [column, nothing])) as Record<Column, Sql>;

import { withWrittenDomain } from '#src/lib/email-address.ts';
import { joinSql, lowerCase, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { EventType } from '#src/outbox/events.ts';
import type { Context, InTransaction } from './context.ts';

/** A person whom the store knows by email, with the ids that lead to the person's rows. */
export interface DataSubject {
  /** Trimmed, lower case. Null for some orders of the person alone. */
  readonly email: string | null;
  readonly customerId: string | null;
  readonly orderIds: readonly string[];
}

/** What an erasure does with the rows of a part. */
export type Treatment = 'deleted' | 'anonymized' | 'kept';

/** What of a part stays after an erasure, and why: for people. */
interface Staying {
  readonly stays: string;
}

/**
 * A part of the data that a domain stores about people. Each domain lists its parts in its `personal-data.ts`; a test
 * finds columns of the schema that are not listed.
 */
export interface PersonalData {
  /** Its name in the export. */
  readonly name: string;
  /** The personal columns, as `table.column`. */
  readonly columns: readonly string[];
  readonly treatment: Treatment;
  /** What of it stays, and why. Null where nothing does. */
  readonly stays: string | null;
  /** Of a part with rows that only an order leads to: whether an index has them, or all of the store's are read. */
  readonly ofOrders?: 'indexed' | 'scanned' | undefined;
  /** The rows about this person, oldest first. */
  find(ctx: InTransaction, subject: DataSubject): Promise<object[]>;
  /** How many rows `find` returns. */
  count(ctx: InTransaction, subject: DataSubject): Promise<number>;
  /**
   * Remove the person from it, in the caller's transaction.
   * @param rowsMax where there are more, about so many are enough
   * @returns the number of rows
   */
  erase(ctx: InTransaction, subject: DataSubject, rowsMax: number): Promise<number>;
}

interface Rows extends Pick<PersonalData, 'ofOrders'> {
  readonly table: string;
  /** Default: the table's name. */
  readonly name?: string;
  /** The other columns of the export. */
  readonly beside: readonly string[];
  /** The condition that selects the person's rows within the store. */
  of(subject: DataSubject, ctx: Context): Sql;
}

/** Recorded of each row: receivers of webhooks may have a copy of it. */
interface Notifying {
  readonly event?: EventType;
}

/** Rows that exist for the person only: they are deleted, and rows that depend on them with them. */
export function removedRows({
  personal,
  event,
  ...rows
}: Rows & Notifying & { readonly personal: readonly string[] }): PersonalData {
  const { table, of } = rows;
  return {
    ...described(rows, personal, 'deleted', null),
    async erase(ctx, subject, rowsMax) {
      const some = await atMost(ctx, table, of(subject, ctx), rowsMax);
      return change(ctx, sql`delete from ${rawSql(table)} where tenant_id = ${ctx.tenant.id} and ${some}`, event);
    },
  };
}

/**
 * Rows that accounting needs: they stay, and each personal column is set to the given expression. Those with an event
 * have a version, which increases.
 */
export function anonymisedRows({
  personal,
  event,
  stays,
  ...rows
}: Rows & Notifying & Staying & { readonly personal: Readonly<Record<string, Sql>> }): PersonalData {
  const { table, of } = rows;
  const columns = Object.entries(personal).map(([column, value]) => ({ column: rawSql(column), value }));
  const changes = columns.map(({ column, value }) => sql`${column} = ${value}`);
  // As text, because the type json has no equality.
  const isOpen = columns.map(({ column, value }) => sql`(${column})::text is distinct from (${value})::text`);
  return {
    ...described(rows, Object.keys(personal), 'anonymized', stays),
    async erase(ctx, subject, rowsMax) {
      const open = sql`(${of(subject, ctx)}) and (${joinSql(isOpen, ' or ')})`;
      const some = await atMost(ctx, table, open, rowsMax);
      return change(
        ctx,
        sql`
        update ${rawSql(table)} set ${joinSql(event ? [...changes, newVersion(ctx)] : changes, ', ')}
        where tenant_id = ${ctx.tenant.id} and ${some}`,
        event,
      );
    },
  };
}

/**
 * The condition on the person's rows, or on about so many of them where there are more. Without need none is named by its
 * place, because a row that another transaction moves meanwhile would be left out.
 */
async function atMost(ctx: InTransaction, table: string, condition: Sql, rowsMax: number): Promise<Sql> {
  const places = sql`
    select ctid from ${rawSql(table)} where tenant_id = ${ctx.tenant.id} and (${condition}) limit ${rowsMax + 1}`;
  const rows = await countRows(ctx, sql`(${places}) as places`);
  return rows > rowsMax ? sql`(${condition}) and ctid = any(array(${places}))` : sql`(${condition})`;
}

/** The assignments of a row whose change receivers of webhooks see. */
export const newVersion = ({ clock }: Context): Sql => sql`version = version + 1, updated_at = ${clock.now()}`;

/** Rows without personal columns: they are exported and stay as they are. */
export function retainedRows({ stays, ...rows }: Rows & Staying): PersonalData {
  return { ...described(rows, [], 'kept', stays), erase: async () => 0 };
}

/** Rows with the person's email address in this column. */
export const byEmail =
  (column: string) =>
  ({ email }: DataSubject): Sql =>
    sql`${lowerCase(rawSql(column))} = ${email}`;

/** Rows in which this text contains the person's email address. */
export const byMention =
  (text: Sql) =>
  ({ email }: DataSubject): Sql =>
    email === null
      ? sql`false`
      : // The pattern takes many times as long, so it is only compared with what has one of the spellings.
        sql`exists (select from unnest(${spellingsOf(email)}::text[]) as spellings(spelling)
      where strpos(${lowerCase(text)}, spelling) > 0 and ${lowerCase(text)} ~ ${mentionPattern(email)})`;

/**
 * What precedes an email address: no letter, digit or point, unless it belongs to an escape in a URL or in JSON. Other
 * characters of addresses also separate: `from+ann@…` in a URL, `cart-ann@…` in an id.
 */
const start = '(?<=^|[^a-z0-9.]|%[0-9a-f]{2}|\\\\[bfnrt]|\\\\u[0-9a-f]{4})';
const end = '(?![a-z0-9])';

/**
 * A regular expression of PostgreSQL and of JavaScript: an email address in text in lower case, in any spelling, and not
 * the end of a longer name such as `joann@…`. In doubt it is found: data that stays does more harm than data that goes.
 */
export function mentionPattern(email: string): string {
  const literals = spellingsOf(email).map((spelling) => spelling.replace(/[^\p{L}\p{N}]/gu, '\\$&'));
  return `${start}(?:${literals.join('|')})${end}`;
}

/** How an email address stands in text, in lower case: as it is or as people write its domain, by itself or in a URL. */
function spellingsOf(email: string): string[] {
  const spellings = [email, withWrittenDomain(email)].flatMap((written) => [
    written,
    written.replace('@', '%40'),
    encodeURIComponent(written).toLowerCase(),
  ]);
  return [...new Set(spellings)];
}

/** Rows that belong to the person's orders. */
export const byOrder = ({ orderIds }: DataSubject): Sql => sql`order_id = any(${orderIds})`;

function described(
  { table, name = table, ofOrders, beside, of }: Rows,
  personal: readonly string[],
  treatment: Treatment,
  stays: string | null,
): Omit<PersonalData, 'erase'> {
  const shown = [...beside, ...personal].map((column) => rawSql(column));
  const rowsOf = (ctx: InTransaction, subject: DataSubject) => sql`
    ${rawSql(table)} where tenant_id = ${ctx.tenant.id} and (${of(subject, ctx)})`;
  return {
    name,
    columns: personal.map((column) => `${table}.${column}`),
    treatment,
    stays,
    ofOrders,
    find: (ctx, subject) =>
      ctx.tx.execute(sql`
      select ${joinSql(shown, ', ')} from ${rowsOf(ctx, subject)} order by ${rawSql(beside[0] ?? '1')}`),
    count: (ctx, subject) => countRows(ctx, rowsOf(ctx, subject)),
  };
}

/** @param from a table with a condition */
export async function countRows(ctx: InTransaction, from: Sql): Promise<number> {
  const [found] = await ctx.tx.execute<{ rows: number }>(sql`select count(*)::int as rows from ${from}`);
  return found?.rows ?? 0;
}

/** Execute a statement without its `returning`, and record the event of each row. @returns the number of rows */
export async function change(ctx: InTransaction, statement: Sql, event?: EventType): Promise<number> {
  if (!event) return (await ctx.tx.execute(sql`${statement} returning 1`)).length;
  const rows = await ctx.tx.execute<{ id: string }>(sql`${statement} returning id`);
  for (const { id } of rows) recordEvent(ctx, event, id);
  return rows.length;
}

const nothing = sql`null`;

/** Set these columns to null. */
export const blank = <Column extends string>(...columns: Column[]): Record<Column, Sql> =>
  Object.fromEntries(columns.map((column) => [column, nothing])) as Record<Column, Sql>;

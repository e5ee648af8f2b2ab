import pg from 'pg';

/** How often the rows of one store are repeated, in itself and as those of other stores. */
export interface Copies {
  readonly own: number;
  /** By the id of the store. */
  readonly others: ReadonlyMap<string, number>;
}

interface Column {
  readonly name: string;
  readonly type: string;
  /** Whether another row may not have the same value, or the value refers to another row. */
  readonly isKey: boolean;
}

/**
 * Fill every table by repeating the rows that a store has, so that each is as large as that of a store that sold for a
 * year. The copies of a row have its ids with a number in it; what happened, happened earlier for each, and what will
 * happen, later. So copies refer to copies.
 *
 * @param shared columns whose value all copies share, as `table.column`: so one row has many others
 * @param single tables of which a store has one row, or too few to matter
 */
export async function multiplyStore(
  databaseUrl: string,
  tenantId: string,
  { own, others }: Copies,
  { shared, single }: { shared: ReadonlySet<string>; single: ReadonlySet<string> },
): Promise<void> {
  const targets = [...others].map(([to, count]) => ({ from: tenantId, to, count }));
  // The own copies come last, because everything of the store is copied.
  await copyRows(
    databaseUrl,
    [
      // What the copies of the store share, other stores do not have.
      { targets, shared: none },
      { targets: [{ from: tenantId, to: tenantId, count: own }], shared },
    ],
    single,
  );
}

/** Give each store a copy of every row that it has, as `multiplyStore` does. */
export async function doubleStores(
  databaseUrl: string,
  tenantIds: readonly string[],
  { shared, single }: { shared: ReadonlySet<string>; single: ReadonlySet<string> },
): Promise<void> {
  const targets = tenantIds.map((id) => ({ from: id, to: id, count: 1 }));
  await copyRows(databaseUrl, [{ targets, shared }], single);
}

interface Copying {
  /** By the ids of stores. */
  readonly targets: readonly { from: string; to: string; count: number }[];
  readonly shared: ReadonlySet<string>;
}

async function copyRows(databaseUrl: string, copyings: readonly Copying[], single: ReadonlySet<string>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c app.platform=on' });
  await client.connect();
  try {
    await client.query('begin');
    const references = await dropReferences(client);
    for (const [table, columns] of await readTables(client)) {
      if (single.has(table)) continue;
      const names = columns.map(({ name }) => client.escapeIdentifier(name)).join();
      for (const { targets, shared } of copyings) {
        const values = columns.map((column) => copyOf(table, column, shared)).join();
        await client.query(
          `insert into ${table} (${names}) select ${values}
           from unnest($1::text[], $2::text[], $3::int[]) as target("from", id, copies)
           join ${table} r on r.tenant_id = target."from", generate_series(1, target.copies) as n
           on conflict do nothing`,
          [targets.map(({ from }) => from), targets.map(({ to }) => to), targets.map(({ count }) => count)],
        );
      }
    }
    for (const statement of references) await client.query(statement);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

const none: ReadonlySet<string> = new Set();

/** So rows are inserted in any order. Returns the statements that add the references again. */
async function dropReferences(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(`
    select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conparentid = 0`);
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`);
  return rows.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`);
}

/** The tables of stores, with the columns that are written. */
async function readTables(client: pg.Client): Promise<Map<string, Column[]>> {
  const { rows } = await client.query<Column & { table: string }>(`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
      a.attname <> 'tenant_id' and not exists (
        select from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any(k.conkey)
          and pg_get_constraintdef(k.oid) ~ 'ANY \\(\\(?ARRAY') and (a.attname ~ '(^|_)(id|key|hash|token|number|email)$' or exists (
        -- The key of a partition has to stay within its partitions.
        select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey)
          and not (c.relkind = 'p' and a.atttypid = 'date'::regtype)) or exists (
        select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and a.attnum = any(f.conkey)))
          as "isKey"
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')
    order by c.relname, a.attnum`);
  return Map.groupBy(rows, ({ table }) => table);
}

/** The value of a column in the copy with the number `n` of the row `r`. */
function copyOf(table: string, { name, type, isKey }: Column, shared: ReadonlySet<string>): string {
  const value = `r."${name}"`;
  if (name === 'tenant_id') return 'target.id';
  if (type === 'timestamp with time zone')
    return `${value} + n * interval '1 second' * case when ${value} > now() then 1 else -1 end`;
  if (!isKey || shared.has(`${table}.${name}`)) return value;
  switch (type) {
    case 'text':
      return `case when ${value} ~ '^[a-z]+_[0-9a-z]{26}$' then left(${value}, -6) || lpad(n::text, 6, '0')
        when ${value} like '%@%' then lpad(n::text, 6, '0') || ${value} else ${value} || lpad(n::text, 6, '0') end`;
    case 'bytea':
      return `sha256(${value} || int4send(n))`;
    case 'uuid':
      return `md5(${value}::text || n)::uuid`;
    case 'bigint':
      return `${value} + n * 1000000`;
    case 'date':
      return `${value} - n`;
    default:
      return value;
  }
}

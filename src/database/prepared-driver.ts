import type {
  EntityDictionary,
  EntityMetadata,
  EntityName,
  FilterQuery,
  NativeInsertUpdateOptions,
  QueryResult,
  UpsertOptions,
} from '@mikro-orm/core';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { CompiledQuery, type QueryResult as DriverResult } from 'kysely';

/** The options that the unit of work passes to a driver, with the transaction that it writes in. */
type UpdateOptions<Row> = Omit<NativeInsertUpdateOptions<Row> & UpsertOptions<Row>, 'ctx'> & {
  readonly ctx?: { executeQuery(query: CompiledQuery): Promise<DriverResult<Record<string, unknown>>> };
};

/**
 * The driver of MikroORM, except for what the unit of work does with every change: updating one row by its key. That
 * statement has parameters instead of values, so that no postal address stands in its text, which PostgreSQL logs when
 * it fails, and PostgreSQL reuses its plan. All other calls go to MikroORM's implementation.
 */
export class PreparedDriver extends PostgreSqlDriver {
  override async nativeUpdate<Row extends object>(
    entityName: EntityName<Row>,
    where: FilterQuery<Row>,
    data: EntityDictionary<Row>,
    options: UpdateOptions<Row> = {},
  ): Promise<QueryResult<Row>> {
    const meta = this.metadata.get<Row>(entityName);
    const key = columnsOf(meta, where);
    const changes = columnsOf(meta, data);
    // What the unit of work has not converted, and conditions that are no key, are left to the driver.
    const isRow = options.convertCustomTypes === false && !options.upsert && key?.every(({ value }) => value !== null);
    if (!options.ctx || !isRow || !key || !changes) return super.nativeUpdate(entityName, where, data, options);

    const statement = CompiledQuery.raw(
      updateOf(meta, key, changes),
      [...changes, ...key].map(({ value }) => value),
    );
    const { rows, numAffectedRows } = await this.rethrow(options.ctx.executeQuery(statement));
    return { affectedRows: Number(numAffectedRows), row: rows[0], rows } as QueryResult<Row>;
  }
}

interface ColumnValue {
  readonly column: string;
  readonly value: unknown;
}

/** The given values by column; `undefined` if any of them is not a single value of a single column. */
function columnsOf<Row>(meta: EntityMetadata<Row>, given: object | string | number): ColumnValue[] | undefined {
  const names = namesIn(meta);
  const columns = Object.entries(given).map(([name, value]) => {
    const column = names.get(name);
    const isOneValue = value === null || value instanceof Date || Buffer.isBuffer(value) || typeof value !== 'object';
    return column && isOneValue ? { column, value } : undefined;
  });
  return columns.length > 0 && columns.every((column) => column !== undefined) ? columns : undefined;
}

const namesOf = new WeakMap<object, ReadonlyMap<string, string>>();

/** The columns of an entity, as statements name them, by its properties; those that have several are left out. */
function namesIn<Row>(meta: EntityMetadata<Row>): ReadonlyMap<string, string> {
  let names = namesOf.get(meta);
  if (!names) {
    names = new Map(
      meta.props.flatMap(({ name, fieldNames = [] }) =>
        fieldNames.length === 1 ? [[name, `"${fieldNames[0]}"`] as const] : [],
      ),
    );
    namesOf.set(meta, names);
  }
  return names;
}

/** The version column is incremented and returned. The id of the store is `opaque`. */
function updateOf<Row>(meta: EntityMetadata<Row>, key: ColumnValue[], changes: ColumnValue[]): string {
  const version = meta.props.filter((prop) => prop.version).map(({ fieldNames }) => `"${fieldNames[0]}"`);
  const sets = [
    ...changes.map(({ column }, index) => `${column} = $${index + 1}`),
    ...version.map((column) => `${column} = ${column} + 1`),
  ];
  const conditions = key.map(({ column }, index) => {
    const parameter = `$${changes.length + index + 1}`;
    return `${column} = ${column === '"tenant_id"' ? `(select ${parameter}::text)` : parameter}`;
  });
  const returning = version.length > 0 ? ` returning ${version}` : '';
  return `update "${meta.tableName}" set ${sets.join(', ')} where ${conditions.join(' and ')}${returning}`;
}

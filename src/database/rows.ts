import { type EntityDictionary, type EntityKey, type EntityMetadata, type EntityName, helper } from '@mikro-orm/core';

import { joinSql, opaque, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { DatabaseContext, TenantContext, WithTransaction } from './context.ts';
import { readOne, writeRows } from './transact.ts';

/** What every row of a store is found by; some count their changes. */
interface Keyed {
  tenantId: string;
  id: string;
  version?: number;
}

/**
 * The row with this id, locked until the transaction ends, as an entity of its unit of work; `undefined` if there is
 * none. Other transactions may still write rows that refer to it. If the unit of work already has the entity, its
 * changes are written and it is read again.
 *
 * The same as `findOne` of MikroORM with a lock, but with a prepared statement and at a quarter of its cost.
 *
 * @param options `forRemoval`: who writes rows that refer to it waits, too. Without it, such a transaction that needs
 *   the row itself next, and the removal, would each wait for the other.
 */
export async function lockRow<Entity extends Keyed>(
  ctx: WithTransaction<TenantContext>,
  entityName: EntityName<Entity>,
  id: string,
  { forRemoval = false } = {},
): Promise<Entity | undefined> {
  const { em } = ctx.tx;
  const meta = em.getMetadata().get<Entity>(entityName);
  const known = Array.from(em.getUnitOfWork().getIdentityMap().getStore(meta).values());
  if (known.some((entity) => entity.id === id)) await em.flush();
  const [row] = await ctx.tx.execute<EntityDictionary<Entity>>(sql`
    ${selectOf(meta)} where ${keyIs(ctx, id)}
    for ${forRemoval ? sql`update` : sql`no key update`}`);
  return row && em.map(entityName, row);
}

/**
 * The rows with one of these texts in a column, as entities of the unit of work. A store has each text once: they are
 * looked up one by one, in the unique index of the column.
 */
export async function findRows<Entity extends Keyed>(
  ctx: WithTransaction<TenantContext>,
  entityName: EntityName<Entity>,
  column: EntityKey<Entity>,
  texts: readonly string[],
): Promise<Entity[]> {
  const { em } = ctx.tx;
  const meta = em.getMetadata().get<Entity>(entityName);
  const rows = await ctx.tx.execute<EntityDictionary<Entity>>(sql`
    select found.* from unnest(${[...new Set(texts)]}::text[]) as given(value) cross join lateral (
      ${selectOf(meta)} where tenant_id = ${opaque(ctx.tenant.id)} and ${columnOf(meta, column)} = given.value offset 0
    ) as found`);
  return rows.map((row) => em.map(entityName, row));
}

/**
 * The row with this id as an entity of no unit of work, and what `more` selects besides; `undefined` if there is none.
 * It is not locked: `saveRow` writes its changes, if no other process has changed the row meanwhile.
 */
export async function readRow<Entity extends Keyed, More extends object = object>(
  ctx: TenantContext,
  entityName: EntityName<Entity>,
  id: string,
  more?: Sql,
): Promise<(More & { readonly entity: Entity }) | undefined> {
  const em = ctx.database.orm.em.fork();
  const meta = em.getMetadata().get<Entity>(entityName);
  const row = await readOne<EntityDictionary<Entity> & More>(
    ctx,
    sql`${selectOf(meta, more)} where ${keyIs(ctx, id)}`,
    { brief: true },
  );
  return row && { ...row, entity: em.map(entityName, row) };
}

/**
 * Write the changes of an entity that `readRow` returned, with one statement, if these fields of its row are still what
 * they were when it was read or last saved. Each change increments the version of an entity that has one. An entity that
 * was saved in a transaction which is rolled back is out of date.
 *
 * @param options `onlyWhere`: a further condition; `execute` runs the statement, which by default is its own transaction
 *   unless one is open
 * @returns whether it was written
 */
export async function saveRow<Entity extends Keyed>(
  ctx: TenantContext,
  entity: Entity,
  unchanged: readonly EntityKey<Entity>[],
  { onlyWhere, execute = changesRow }: { onlyWhere?: Sql | undefined; execute?: typeof changesRow | undefined } = {},
): Promise<boolean> {
  const { __meta: meta, __originalEntityData } = helper(entity);
  const comparator = ctx.database.orm.em.getComparator();
  const current = comparator.prepareEntity(entity);
  const version = entity.version === undefined ? {} : { version: entity.version + 1 };
  const changes = { ...comparator.diffEntities(meta.class, __originalEntityData ?? {}, current), ...version };
  if (Object.keys(changes).length === 0) return true;

  const stored: Record<string, unknown> = { ...__originalEntityData, version: entity.version };
  const sets = Object.entries(changes).map(
    ([name, value]) => sql`${columnOf(meta, name as EntityKey<Entity>)} = ${value}`,
  );
  const conditions = unchanged.map((name) => sql` and ${columnOf(meta, name)} is not distinct from ${stored[name]}`);
  if (onlyWhere) conditions.push(sql` and ${onlyWhere}`);
  const isSaved = await execute(
    ctx,
    sql`
    update ${tableOf(meta)} set ${joinSql(sets, ', ')}
    where ${keyIs(ctx, entity.id)}${joinSql(conditions, '')} returning id`,
  );
  if (isSaved) {
    Object.assign(entity, version);
    helper(entity).__originalEntityData = current;
  }
  return isSaved;
}

async function changesRow(ctx: TenantContext, statement: Sql): Promise<boolean> {
  return (await writeRows(ctx, statement)).length > 0;
}

/** Whether an entity of the open transaction differs from its row. Unchanged entities must not increment a version. */
export function hasChanged(ctx: WithTransaction<DatabaseContext>, entity: object): boolean {
  return changedFields(ctx, entity).length > 0;
}

/** The fields in which an entity of the open transaction differs from its row: all of them, where it has no row yet. */
export function changedFields(ctx: WithTransaction<DatabaseContext>, entity: object): string[] {
  const { em } = ctx.tx;
  const comparator = em.getComparator();
  const stored = em.getUnitOfWork().getOriginalEntityData(entity) ?? {};
  const { class: Entity } = helper(entity).__meta;
  return Object.keys(comparator.diffEntities(Entity, stored, comparator.prepareEntity(entity)));
}

const namesOf = new WeakMap<object, Sql>();

/**
 * Selects what `em.map` makes an entity of, and `more`. Its columns are named: with `*`, the plan of a prepared statement
 * is lost when a migration adds a column.
 */
export function selectOf<Entity>(meta: EntityMetadata<Entity>, more?: Sql): Sql {
  let names = namesOf.get(meta);
  if (!names) {
    names = rawSql(meta.props.flatMap(({ fieldNames }) => fieldNames.map((name) => `"${name}"`)).join(', '));
    namesOf.set(meta, names);
  }
  return sql`select ${more ? sql`${names}, ${more}` : names} from ${tableOf(meta)}`;
}

const keyIs = ({ tenant }: TenantContext, id: string) => sql`tenant_id = ${opaque(tenant.id)} and id = ${id}`;

const tableOf = <Entity>({ tableName }: EntityMetadata<Entity>) => rawSql(`"${tableName}"`);

const columnOf = <Entity>({ properties }: EntityMetadata<Entity>, name: EntityKey<Entity>) =>
  rawSql(`"${properties[name].fieldNames[0]}"`);

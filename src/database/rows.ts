import { type EntityDictionary, type EntityMetadata, type EntityName, helper } from '@mikro-orm/core';

import { rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { DatabaseContext, TenantContext, WithTransaction } from './context.ts';

/** What every row of a store is found by. */
interface Keyed {
  tenantId: string;
  id: string;
}

/**
 * The row with this id, locked until the transaction ends, as an entity of its unit of work; `undefined` if there is
 * none. Other transactions may still write rows that refer to it. If the unit of work already has the entity, its
 * changes are written and it is read again.
 *
 * The same as `findOne` of MikroORM with a lock, but with a prepared statement and at a quarter of its cost.
 */
export async function lockRow<Entity extends Keyed>(
  ctx: WithTransaction<TenantContext>,
  entityName: EntityName<Entity>,
  id: string,
): Promise<Entity | undefined> {
  const { em } = ctx.tx;
  const meta = em.getMetadata().get<Entity>(entityName);
  const known = Array.from(em.getUnitOfWork().getIdentityMap().getStore(meta).values());
  if (known.some((entity) => entity.id === id)) await em.flush();
  const [row] = await ctx.tx.execute<EntityDictionary<Entity>>(sql`
    ${selectOf(meta)} where tenant_id = ${ctx.tenant.id} and id = ${id} for no key update`);
  return row && em.map(entityName, row);
}

const selects = new WeakMap<object, Sql>();

/** Its columns by name: with `*`, the plan of a prepared statement is lost when a migration adds a column. */
function selectOf<Entity>(meta: EntityMetadata<Entity>): Sql {
  let select = selects.get(meta);
  if (!select) {
    const columns = meta.props.flatMap(({ fieldNames }) => fieldNames).map((name) => `"${name}"`);
    selects.set(meta, (select = rawSql(`select ${columns.join(', ')} from "${meta.tableName}"`)));
  }
  return select;
}

/** Whether an entity of the open transaction differs from its row. Unchanged entities must not increment a version. */
export function hasChanged(ctx: WithTransaction<DatabaseContext>, entity: object): boolean {
  const { em } = ctx.tx;
  const comparator = em.getComparator();
  const stored = em.getUnitOfWork().getOriginalEntityData(entity);
  if (!stored) return true;
  const { class: Entity } = helper(entity).__meta;
  return Object.keys(comparator.diffEntities(Entity, stored, comparator.prepareEntity(entity))).length > 0;
}

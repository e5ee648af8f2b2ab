import type { EntityKey, EntityName, RequiredEntityData } from '@mikro-orm/core';

import { lockNames } from '#src/database/lock-names.ts';
import { findRows } from '#src/database/rows.ts';
import { assignChanges } from '#src/lib/assign-changes.ts';
import { type IdPrefix, newId } from '#src/lib/ids.ts';
import type { IdentifiedChange } from './change.ts';
import type { InTransaction } from './context.ts';

/** A thing that shoppers name by a code of which a store has one, removed or not. */
interface Coded {
  tenantId: string;
  id: string;
  code: string;
  removedAt?: Date | null | undefined;
  createdAt: Date;
  updatedAt: Date;
}

/** What is to be saved under a code, and the names of the fields that were written of it. */
interface Given<Entity> {
  readonly code: string;
  readonly wanted: Partial<Entity>;
  readonly fields: readonly string[];
}

/**
 * Create things with these codes, or update those that there are: a removed one is restored. The codes are locked
 * first, in one order, so that two imports do not wait for each other. Of several with one code the last one remains.
 *
 * @param kind what the audit log calls it, such as `promo_code`
 */
export async function saveCoded<Entity extends Coded>(
  ctx: InTransaction,
  { entityName, kind, idPrefix }: { entityName: EntityName<Entity>; kind: string; idPrefix: IdPrefix },
  given: readonly Given<Entity>[],
): Promise<IdentifiedChange[]> {
  const { em } = ctx.tx;
  const now = ctx.clock.now();
  const codes = given.map(({ code }) => code);
  await lockNames(ctx, kind, codes);
  const stored = await findRows(ctx, entityName, 'code' as EntityKey<Entity>, codes);
  const byCode = new Map(stored.map((entity) => [entity.code, entity]));
  const changes = given.map(({ code, wanted, fields }): IdentifiedChange => {
    const subject = `${kind.replace('_', ' ')} ${code}`;
    const entity = byCode.get(code);
    if (!entity) {
      const id = newId(idPrefix);
      const row = { tenantId: ctx.tenant.id, id, code, ...wanted, createdAt: now, updatedAt: now };
      byCode.set(code, em.create(entityName, row as unknown as RequiredEntityData<Entity>));
      return { id, subject, action: 'created', fields };
    }
    const { id } = entity;
    const action = entity.removedAt ? 'created' : 'updated';
    const values = assignChanges(entity, wanted);
    const changed = Object.keys(values);
    if (changed.length === 0) return { id, subject, action: 'unchanged', fields: changed };
    entity.updatedAt = now;
    return { id, subject, action, fields: changed, values };
  });
  await em.flush();
  return changes;
}

import { lockNames } from '#src/database/lock-names.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import type { Change, IdentifiedChange } from '../../change.ts';
import type { InTransaction } from '../../context.ts';
import type { ImportMode } from '../import-kind.ts';

/** How a thing is saved, and the name that this locks. */
interface NamedSaving<Value> {
  readonly kind: string;
  nameOf(value: Value): string;
  save(value: Value): Promise<IdentifiedChange>;
}

/**
 * Save one thing after the other. The names of all are locked first, in one order: two imports that each locked what
 * it saves next could wait for each other.
 * @throws DomainError `invalid_request` for one that exists, if it should be created
 */
export async function saveEach<Value>(
  ctx: InTransaction,
  values: readonly Value[],
  mode: ImportMode,
  { kind, nameOf, save }: NamedSaving<Value>,
): Promise<IdentifiedChange[]> {
  await lockNames(ctx, kind, values.map(nameOf));
  const changes: IdentifiedChange[] = [];
  for (const value of values) changes.push(await save(value));
  rejectExisting(changes, mode);
  return changes;
}

/** @throws DomainError `invalid_request` if something existed that should be created */
export function rejectExisting(changes: readonly Change[], mode: ImportMode): void {
  if (mode === 'create' && changes.some(({ action }) => action !== 'created')) {
    throw invalidRequest('It exists already.');
  }
}

import { invalidRequest } from '#src/lib/errors.ts';
import type { Change, IdentifiedChange } from '../../change.ts';
import type { ImportMode } from '../import-kind.ts';

/**
 * Save one thing after the other.
 * @throws DomainError `invalid_request` for one that exists, if it should be created
 */
export async function saveEach<Value>(
  values: readonly Value[],
  mode: ImportMode,
  save: (value: Value) => Promise<IdentifiedChange>,
): Promise<IdentifiedChange[]> {
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

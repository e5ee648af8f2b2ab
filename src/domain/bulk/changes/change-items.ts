import type { ItemWork } from '../apply-items.ts';
import type { Operation } from '../operation.ts';
import type { Changed, Selected } from './change-kind.ts';
import { changeKindOf } from './index.ts';

/** What a bulk change does with the ids that it selected, or with what another one changed. */
export function changeItems({
  id: operationId,
  kind,
  options,
  undoes,
}: Pick<Operation, 'id' | 'kind' | 'options' | 'undoes'>): ItemWork {
  const { save, undo, auditedAs } = changeKindOf({ kind });
  const common = { auditedAs, isUndoable: undo !== undefined };
  if (undo && undoes !== null) {
    const work: ItemWork<Changed> = {
      ...common,
      valueOf: ({ cells: [[id = ''] = []], values }) => ({ id, values: values ?? {} }),
      save: undo,
    };
    return work as ItemWork;
  }
  const work: ItemWork<Selected> = {
    ...common,
    valueOf: ({ cells: [[id = ''] = []], row }) => ({ id, row, operationId }),
    save: (ctx, selected) => save(ctx, selected, options),
  };
  return work as ItemWork;
}

import type { Operation } from '../operation.ts';
import type { ChangeKind } from './change-kind.ts';
import { cancelSubscriptions, resendEmails, retryLabels } from './orders.ts';
import { changePrices, changeStatus, changeTags } from './products.ts';
import { changeManyStocks } from './stock.ts';

/** Everything that can be changed in many things at once. */
export const changeKinds: readonly ChangeKind[] = [
  changePrices,
  changeTags,
  changeStatus,
  changeManyStocks,
  retryLabels,
  cancelSubscriptions,
  resendEmails,
];

export function changeKindOf({ kind }: Pick<Operation, 'kind'>): ChangeKind {
  const known = changeKinds.find(({ name }) => name === kind);
  if (!known) throw new TypeError(`There is no bulk change of ${kind}.`);
  return known;
}

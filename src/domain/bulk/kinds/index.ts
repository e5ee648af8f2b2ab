import { jsonLines } from '../columns.ts';
import type { ImportKind, TableFormat } from '../import-kind.ts';
import type { Operation } from '../operation.ts';
import { importContent, importPromoCodes } from './content.ts';
import { importGiftCards } from './gift-cards.ts';
import { importOrders } from './orders.ts';
import { importCustomers, importPartners } from './people.ts';
import { importProducts } from './products.ts';
import { importStock } from './stock.ts';

/** Everything that can be imported. */
export const importKinds: readonly ImportKind[] = [
  importProducts,
  importStock,
  importCustomers,
  importPartners,
  importContent,
  importPromoCodes,
  importGiftCards,
  importOrders,
];

/** Every format of a file: the tables of the kinds, and lines of JSON. */
export const importFormats: readonly string[] = [
  ...new Set([...importKinds.flatMap(({ tables }) => Object.keys(tables)), jsonLines]),
];

/** Whether this kind can be read from files of this format. */
export const hasFormat = (kind: ImportKind, format: string): boolean => format === jsonLines || format in kind.tables;

export function importKindOf({ kind }: Pick<Operation, 'kind'>): ImportKind {
  const known = importKinds.find(({ name }) => name === kind);
  if (!known) throw new TypeError(`There is no import of ${kind}.`);
  return known;
}

/** The table that a file contains; `undefined` for lines of JSON. */
export function tableOf(operation: Pick<Operation, 'kind' | 'format'>): TableFormat | undefined {
  return operation.format === jsonLines ? undefined : importKindOf(operation).tables[operation.format];
}

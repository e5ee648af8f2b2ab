import type { ExportKind, ExportRange } from '../export-kind.ts';
import type { Operation } from '../operation.ts';
import { exportProducts, exportStock } from './catalog.ts';
import { exportJournal, exportJournalDays } from './journal.ts';
import { exportOrders, exportReturns } from './orders.ts';
import {
  exportAnalytics,
  exportCustomers,
  exportGiftCards,
  exportLeads,
  exportReminders,
  exportSubscriptions,
  exportWaitlist,
} from './people.ts';
import { exportCommissions, exportPartners, exportPromoCodes } from './promotions.ts';

/** Everything that can be exported. */
export const exportKinds: readonly ExportKind[] = [
  exportProducts,
  exportStock,
  exportOrders,
  exportReturns,
  exportJournal,
  exportJournalDays,
  exportCustomers,
  exportSubscriptions,
  exportGiftCards,
  exportReminders,
  exportAnalytics,
  exportLeads,
  exportWaitlist,
  exportPartners,
  exportCommissions,
  exportPromoCodes,
];

export function exportKindOf({ kind }: Pick<Operation, 'kind'>): ExportKind {
  const known = exportKinds.find(({ name }) => name === kind);
  if (!known) throw new TypeError(`There is no export of ${kind}.`);
  return known;
}

/** The range that was requested. */
export function rangeOf({ options: { from, to } }: Pick<Operation, 'options'>): ExportRange {
  const momentOf = (value: unknown) => (typeof value === 'string' ? new Date(value) : null);
  return { from: momentOf(from), to: momentOf(to) };
}

import { closed } from '#src/lib/schema.ts';
import { CustomerInput, saveCustomers } from '../../customers/index.ts';
import { PartnerInput, savePartners } from '../../partners/index.ts';
import { defineImportKind, rejectExisting } from '../import-kind.ts';
import { withoutFields } from './cells.ts';
import { flatTable } from './flat-table.ts';

/** What an export of customers has besides. */
const notRead = ['id', 'created_at'];
/** What an export of partners has besides. */
const sales = ['orders', 'total_cents', 'commission_cents', 'created_at'];

/** Customers with their consent to advertising. */
export const importCustomers = defineImportKind({
  name: 'customers',
  area: 'customers',
  tables: {
    csv: flatTable({
      required: ['email'],
      texts: ['email', 'name'],
      flags: ['accepts_marketing'],
      others: notRead,
    }),
  },
  schema: closed(CustomerInput),
  readLine: (line) => withoutFields(line, notRead),
  auditedAs: 'customer',
  save: async (ctx, customers, mode) => rejectExisting(await saveCustomers(ctx, customers), mode),
});

/** Partners: the codes with which their visitors are redirected to the store, and their terms. */
export const importPartners = defineImportKind({
  name: 'partners',
  // What a partner gives is a discount.
  area: 'promotions',
  tables: {
    csv: flatTable({
      required: ['code', 'name'],
      texts: ['code', 'name', 'window'],
      numbers: ['commission_percent', 'discount_percent'],
      others: sales,
      identifiers: ['code'],
    }),
  },
  schema: closed(PartnerInput),
  readLine: (line) => withoutFields(line, sales),
  auditedAs: 'partner',
  save: async (ctx, partners, mode) => rejectExisting(await savePartners(ctx, partners), mode),
});

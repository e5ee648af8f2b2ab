import type { RequestOptions } from '@storefront-commerce/client';
import type { RaRecord } from 'react-admin';

import { admin } from './admin.ts';

/** A page of a list of the API. */
export interface Page {
  readonly rows: readonly RaRecord[];
  readonly cursor: string | null;
}

export type Query = Readonly<Record<string, unknown>>;

/** How the records of a resource are read. */
export interface Resource {
  readonly list: (query: Query, signal: AbortSignal | undefined) => Promise<Page>;
  readonly one?: (id: string, signal: AbortSignal | undefined) => Promise<RaRecord>;
}

/** How the records of each page of the console are read. A record has an `id`, which is part of its URL. */
export const resources: Readonly<Record<string, Resource>> = {
  orders: {
    list: listOf(admin.listOrders, 'orders'),
    one: async (id, signal) => (await admin.getOrder(id, { signal })).order,
  },
  returns: { list: listOf(admin.listReturns, 'returns') },
  products: {
    list: listOf(admin.listProducts, 'products'),
    one: async (slug, signal) => ({ ...(await admin.getProduct(slug, { signal })).product, id: slug }),
  },
  content: {
    list: listOf(admin.listEntries, 'entries'),
    async one(id, signal) {
      const [type = '', slug = ''] = id.split('/');
      return { ...(await admin.getEntry(type, slug, { signal })).entry, id };
    },
  },
  'promo-codes': { list: listOf(admin.listPromoCodes, 'promo_codes') },
  'gift-cards': { list: listOf(admin.listGiftCards, 'gift_cards') },
  reviews: { list: listOf(admin.listReviews, 'reviews') },
  customers: {
    list: listOf(admin.listCustomers, 'customers'),
    one: async (id, signal) => ({ ...(await admin.getCustomer(id, { signal })), id }),
  },
  subscriptions: { list: listOf(admin.listSubscriptions, 'subscriptions') },
  leads: { list: listOf(admin.listLeads, 'leads') },
  wholesale: { list: listOf(admin.listWholesaleInquiries, 'wholesale_inquiries') },
  waitlist: { list: listOf(admin.listWaitlist, 'waitlist') },
  suppressions: {
    list: async (query, signal) => {
      const { suppressions, cursor } = await admin.listSuppressions(query, { signal });
      return { rows: suppressions.map((suppression) => ({ ...suppression, id: suppression.email })), cursor };
    },
  },
  webhooks: {
    list: listOf(admin.listWebhookEndpoints, 'webhook_endpoints'),
    one: async (id, signal) => (await admin.getWebhookEndpoint(id, { signal })).webhook_endpoint,
  },
  partners: {
    list: async (query, signal) => {
      const { partners, cursor } = await admin.listPartners(query, { signal });
      return { rows: partners.map((partner) => ({ ...partner, id: partner.code })), cursor };
    },
  },
  'partner-applications': { list: listOf(admin.listPartnerApplications, 'applications') },
  imports: {
    list: listOf(admin.listImports, 'imports'),
    one: async (id, signal) => (await admin.getImport(id, { signal })).import,
  },
  exports: {
    list: listOf(admin.listExports, 'exports'),
    one: async (id, signal) => (await admin.getExport(id, { signal })).export,
  },
  'bulk-changes': {
    list: listOf(admin.listBulkChanges, 'bulk_changes'),
    one: async (id, signal) => (await admin.getBulkChange(id, { signal })).bulk_change,
  },
  erasures: {
    list: listOf(admin.listErasures, 'erasures'),
    one: async (id, signal) => (await admin.getErasure(id, { signal })).erasure,
  },
  staff: { list: listOf(admin.listStaff, 'staff') },
  'audit-log': { list: listOf(admin.listAuditLog, 'entries') },
};

/** The list of the API that this method reads, with its rows in this field of each page. */
function listOf<Name extends string>(
  read: (
    query: Query,
    options: RequestOptions,
  ) => Promise<Readonly<Record<Name, readonly RaRecord[]>> & { readonly cursor: string | null }>,
  name: Name,
): Resource['list'] {
  return async (query, signal) => {
    const { [name]: rows, cursor } = await read(query, { signal });
    return { rows, cursor };
  };
}

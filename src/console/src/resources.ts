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
    list: async (query, signal) => {
      const { orders, cursor } = await admin.listOrders(query, { signal });
      return { rows: orders, cursor };
    },
    one: async (id, signal) => (await admin.getOrder(id, { signal })).order,
  },
  returns: {
    list: async (query, signal) => {
      const { returns, cursor } = await admin.listReturns(query, { signal });
      return { rows: returns, cursor };
    },
  },
  products: {
    list: async (query, signal) => {
      const { products, cursor } = await admin.listProducts(query, { signal });
      return { rows: products, cursor };
    },
    one: async (slug, signal) => ({ ...(await admin.getProduct(slug, { signal })).product, id: slug }),
  },
  content: {
    list: async (query, signal) => {
      const { entries, cursor } = await admin.listEntries(query, { signal });
      return { rows: entries, cursor };
    },
    async one(id, signal) {
      const [type = '', slug = ''] = id.split('/');
      return { ...(await admin.getEntry(type, slug, { signal })).entry, id };
    },
  },
  'promo-codes': {
    list: async (query, signal) => {
      const { promo_codes, cursor } = await admin.listPromoCodes(query, { signal });
      return { rows: promo_codes, cursor };
    },
  },
  'gift-cards': {
    list: async (query, signal) => {
      const { gift_cards, cursor } = await admin.listGiftCards(query, { signal });
      return { rows: gift_cards, cursor };
    },
  },
  reviews: {
    list: async (query, signal) => {
      const { reviews, cursor } = await admin.listReviews(query, { signal });
      return { rows: reviews, cursor };
    },
  },
  customers: {
    list: async (query, signal) => {
      const { customers, cursor } = await admin.listCustomers(query, { signal });
      return { rows: customers, cursor };
    },
    one: async (id, signal) => ({ ...(await admin.getCustomer(id, { signal })), id }),
  },
  subscriptions: {
    list: async (query, signal) => {
      const { subscriptions, cursor } = await admin.listSubscriptions(query, { signal });
      return { rows: subscriptions, cursor };
    },
  },
  leads: {
    list: async (query, signal) => {
      const { leads, cursor } = await admin.listLeads(query, { signal });
      return { rows: leads, cursor };
    },
  },
  wholesale: {
    list: async (query, signal) => {
      const { wholesale_inquiries, cursor } = await admin.listWholesaleInquiries(query, { signal });
      return { rows: wholesale_inquiries, cursor };
    },
  },
  waitlist: {
    list: async (query, signal) => {
      const { waitlist, cursor } = await admin.listWaitlist(query, { signal });
      return { rows: waitlist, cursor };
    },
  },
  suppressions: {
    list: async (query, signal) => {
      const { suppressions, cursor } = await admin.listSuppressions(query, { signal });
      return { rows: suppressions.map((suppression) => ({ ...suppression, id: suppression.email })), cursor };
    },
  },
  webhooks: {
    list: async (query, signal) => {
      const { webhook_endpoints, cursor } = await admin.listWebhookEndpoints(query, { signal });
      return { rows: webhook_endpoints, cursor };
    },
    one: async (id, signal) => (await admin.getWebhookEndpoint(id, { signal })).webhook_endpoint,
  },
  partners: {
    list: async (query, signal) => {
      const { partners, cursor } = await admin.listPartners(query, { signal });
      return { rows: partners.map((partner) => ({ ...partner, id: partner.code })), cursor };
    },
  },
  'partner-applications': {
    list: async (query, signal) => {
      const { applications, cursor } = await admin.listPartnerApplications(query, { signal });
      return { rows: applications, cursor };
    },
  },
  imports: {
    list: async (query, signal) => {
      const { imports, cursor } = await admin.listImports(query, { signal });
      return { rows: imports, cursor };
    },
    one: async (id, signal) => (await admin.getImport(id, { signal })).import,
  },
  exports: {
    list: async (query, signal) => {
      const { exports, cursor } = await admin.listExports(query, { signal });
      return { rows: exports, cursor };
    },
    one: async (id, signal) => (await admin.getExport(id, { signal })).export,
  },
  'bulk-changes': {
    list: async (query, signal) => {
      const { bulk_changes, cursor } = await admin.listBulkChanges(query, { signal });
      return { rows: bulk_changes, cursor };
    },
    one: async (id, signal) => (await admin.getBulkChange(id, { signal })).bulk_change,
  },
  staff: {
    list: async (query, signal) => {
      const { staff, cursor } = await admin.listStaff(query, { signal });
      return { rows: staff, cursor };
    },
  },
  'audit-log': {
    list: async (query, signal) => {
      const { entries, cursor } = await admin.listAuditLog(query, { signal });
      return { rows: entries, cursor };
    },
  },
};

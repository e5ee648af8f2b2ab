import type { Body, Query } from '@storefront-commerce/client';

export type ImportKind = Query<'admin.createImport'>['kind'];
export type ExportKind = Body<'admin.createExport'>['kind'];

/** What changes each kind. Fails to compile when the API imports another one. */
export const importScopes: Readonly<Record<ImportKind, string>> = {
  products: 'admin.catalog:write',
  stock: 'admin.catalog:write',
  customers: 'admin.customers:write',
  partners: 'admin.promotions:write',
  content: 'admin.content:write',
  promo_codes: 'admin.promotions:write',
  gift_cards: 'admin.promotions:write',
  orders: 'admin.orders:write',
};

/** What reads each kind. Fails to compile when the API exports another one. */
export const exportScopes: Readonly<Record<ExportKind, string>> = {
  products: 'admin.catalog:read',
  stock: 'admin.catalog:read',
  orders: 'admin.orders:read',
  returns: 'admin.returns:read',
  journal: 'admin.analytics:read',
  journal_days: 'admin.analytics:read',
  customers: 'admin.customers:read',
  subscriptions: 'admin.orders:read',
  gift_cards: 'admin.promotions:read',
  reminders: 'admin.customers:read',
  analytics: 'admin.analytics:read',
  leads: 'admin.customers:read',
  waitlist: 'admin.customers:read',
  partners: 'admin.customers:read',
  commissions: 'admin.customers:read',
  promo_codes: 'admin.promotions:read',
};

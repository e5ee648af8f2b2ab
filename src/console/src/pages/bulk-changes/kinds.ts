import type { BulkChange } from '@storefront-commerce/client';

export type ChangeKind = BulkChange['kind'];

/** The kinds of changes with what each requires. Fails to compile when the API has another one. */
export const changeScopes: Readonly<Record<ChangeKind, string>> = {
  prices: 'admin.catalog:write',
  tags: 'admin.catalog:write',
  status: 'admin.catalog:write',
  stock: 'admin.catalog:write',
  label_retries: 'admin.labels:write',
  subscription_cancellations: 'admin.orders:write',
  emails: 'admin.orders:write',
};

/** What is done, as people say it. */
export const changeNames: Readonly<Record<ChangeKind, string>> = {
  prices: 'Change prices',
  tags: 'Change tags',
  status: 'Publish or unpublish',
  stock: 'Change stock',
  label_retries: 'Retry labels',
  subscription_cancellations: 'Cancel subscriptions',
  emails: 'Resend receipts',
};

/** Those that change products. */
export const productChanges: readonly ChangeKind[] = ['prices', 'tags', 'status', 'stock'];

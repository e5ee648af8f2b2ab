import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

import { DomainError } from '#src/lib/errors.ts';

/**
 * The parts of the service that a store may do without. Customer accounts are opt-in; the others are on until switched
 * off.
 */
export const moduleNames = ['customer_accounts', 'subscriptions', 'gift_cards', 'reviews'] as const;
export type ModuleName = (typeof moduleNames)[number];
export type Modules = Record<ModuleName, boolean>;

export const initialModules: Modules = {
  customer_accounts: false,
  subscriptions: true,
  gift_cards: true,
  reviews: true,
};

export const TenantEntity = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  properties: {
    id: p.string().primary(),
    slug: p.string(),
    name: p.string(),
    ownerEmail: p.string(),
    currency: p.string(),
    locale: p.string(),
    timezone: p.string(),
    storefrontUrl: p.string(),
    magicLinkPath: p.string(),
    restorePath: p.string(),
    allowedOrigins: p.json<string[]>(),
    requestsPerSecond: p.integer().nullable(),
    refundVerificationAboveCents: p.bigint('number'),
    mailFrom: p.string().nullable(),
    theme: p.json<Record<string, unknown>>(),
    links: p.json<Record<string, unknown>>(),
    modules: p.json<Modules>(),
    sessionSecretSealed: p.string().lazy(),
    sessionSecretNumber: p.integer(),
    staffSecretSealed: p.string().nullable().lazy(),
    closedAt: p.datetime().nullable(),
    removedAt: p.datetime().nullable(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

type Row = InferEntity<typeof TenantEntity>;

/** A store, as operations see it: what it is called, where it sells and what it has switched on. */
export type Tenant = Readonly<
  Pick<
    Row,
    | 'id'
    | 'slug'
    | 'name'
    | 'ownerEmail'
    | 'currency'
    | 'locale'
    | 'timezone'
    | 'storefrontUrl'
    | 'magicLinkPath'
    | 'restorePath'
    | 'allowedOrigins'
    | 'requestsPerSecond'
    | 'refundVerificationAboveCents'
    | 'mailFrom'
    | 'theme'
    | 'links'
    | 'modules'
    | 'closedAt'
    | 'version'
  >
>;

/** @throws DomainError `module_disabled` where the store does without the module */
export function requireModule({ modules }: Tenant, name: ModuleName): void {
  if (!modules[name]) throw new DomainError('forbidden', 'module_disabled', 'This module is disabled for the store.');
}

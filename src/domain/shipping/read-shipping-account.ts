import { readOne } from '#src/database/transact.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Cents, Country, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { Box, Origin, ShippingOption } from './shipping-account.ts';

/** The store's shipping account as its owner sees it, without secrets. */
export type ManagedShippingAccount = Omit<RowOf<typeof ShippingAccountView>, 'provider'>;

/** `undefined` where none is saved. */
export async function readShippingAccount(ctx: Context): Promise<ManagedShippingAccount | undefined> {
  return readOne<ManagedShippingAccount>(
    ctx,
    sql`
    select carriers, origin, parcel, label_cost_cap_cents as "labelCostCapCents", countries, options,
      webhook_token_sealed is not null as "hasWebhookToken",
      webhook_secret_sealed is not null as "hasWebhookSecret", paused_at as "labelsPausedSince",
      version,
      created_at as "createdAt", updated_at as "updatedAt"
    from shipping_accounts where tenant_id = ${ctx.tenant.id}`,
  );
}

export const ShippingAccountView = Type.Object(
  {
    provider: Type.Literal('shippo'),
    has_webhook_token: Type.Boolean(),
    has_webhook_secret: Type.Boolean(),
    carriers: Type.Array(Type.String({ examples: ['usps'] })),
    origin: Origin,
    parcel: Box,
    label_cost_cap_cents: Nullable(Cents),
    countries: Type.Array(Country),
    options: Type.Array(ShippingOption),
    /** Since when labels wait because the provider rejects the key. */
    labels_paused_since: Nullable(Timestamp),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'ShippingAccount' },
);

export function presentShippingAccount(account: ManagedShippingAccount): Static<typeof ShippingAccountView> {
  return presentAs(ShippingAccountView, { ...account, provider: 'shippo' });
}

export type ManagedSecondShippingAccount = Omit<RowOf<typeof SecondShippingAccountView>, 'provider'>;

/** The account at the second provider; `undefined` where none is saved. */
export async function readSecondShippingAccount(ctx: Context): Promise<ManagedSecondShippingAccount | undefined> {
  return readOne<ManagedSecondShippingAccount>(
    ctx,
    sql`
    select version, created_at as "createdAt", updated_at as "updatedAt"
    from second_shipping_accounts where tenant_id = ${ctx.tenant.id}`,
  );
}

export const SecondShippingAccountView = Type.Object(
  {
    provider: Type.Literal('easypost'),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'SecondShippingAccount' },
);

export function presentSecondShippingAccount(
  account: ManagedSecondShippingAccount,
): Static<typeof SecondShippingAccountView> {
  return presentAs(SecondShippingAccountView, { ...account, provider: 'easypost' });
}

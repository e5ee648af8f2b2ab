import { readOne } from '#src/database/transact.ts';
import { Cents, Country, Currency, FreeForm, Nullable, Slug, type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { publishableKeyOf } from '../payments/index.ts';
import { type ShippingOptions, shippingOptionsOf } from '../shipping/index.ts';
import type { Tenant } from '../tenants/index.ts';

/** The settings that a storefront loads first. */
export interface Storefront {
  readonly tenant: Tenant;
  /** The payment provider's key for browsers; null while the store cannot take payments. */
  readonly publishableKey: string | null;
  readonly shipping: ShippingOptions | null;
}

/** Read the settings with one statement. */
export async function readStorefront(ctx: Context): Promise<Storefront> {
  const row = await readOne<Omit<Storefront, 'tenant'>>(
    ctx,
    sql`
    select ${publishableKeyOf(ctx)} as "publishableKey", ${shippingOptionsOf(ctx)} as shipping`,
    { brief: true },
  );
  return { publishableKey: null, shipping: null, ...row, tenant: ctx.tenant };
}

export const StorefrontBody = Type.Object(
  {
    slug: Slug,
    name: Type.String({ examples: ['Cedar & Clay'] }),
    currency: Currency,
    locale: Type.String({ examples: ['en-US'] }),
    publishable_key: Nullable(Type.String({ examples: ['pk_test_51Abc'] })),
    features: Type.Object({
      customer_accounts: Type.Boolean(),
      subscriptions: Type.Boolean(),
      gift_cards: Type.Boolean(),
      reviews: Type.Boolean(),
    }),
    shipping: Type.Object({
      countries: Type.Array(Country),
      options: Type.Array(
        Type.Object({
          name: Type.String({ examples: ['Standard'] }),
          amount_cents: Cents,
          free_over_cents: Nullable(Cents),
        }),
      ),
    }),
    theme: FreeForm,
    links: FreeForm,
    version: Type.Integer(),
  },
  { title: 'Storefront' },
);

export function presentStorefront({ tenant, publishableKey, shipping }: Storefront): Static<typeof StorefrontBody> {
  const { customer_accounts, subscriptions, gift_cards, reviews } = tenant.modules;
  return {
    slug: tenant.slug,
    name: tenant.name,
    currency: tenant.currency,
    locale: tenant.locale,
    publishable_key: publishableKey,
    features: { customer_accounts, subscriptions, gift_cards, reviews },
    shipping: {
      countries: [...(shipping?.countries ?? [])],
      options: (shipping?.options ?? []).map(({ name, amountCents, freeOverCents }) => ({
        name,
        amount_cents: amountCents,
        free_over_cents: freeOverCents,
      })),
    },
    theme: tenant.theme,
    links: tenant.links,
    version: tenant.version,
  };
}

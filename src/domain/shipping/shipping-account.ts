import { defineEntity, p } from '@mikro-orm/core';
import { readOne } from '#src/database/transact.ts';
import { AnyCaseCountry, Cents, Email, Name, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Issue } from '#src/lib/validation.ts';
import { checkCountry, issue } from '../checks.ts';
import type { Context } from '../context.ts';
import { type OrderForShipping, orderForShippingOf } from '../orders/index.ts';
import type { ShippingAccount } from '../ports/shipping-gateway.ts';

const Carrier = Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$', maxLength: 40, examples: ['usps'] });
const Inches = Type.Number({ exclusiveMinimum: 0, maximum: 1000, examples: [10] });

/** Where the store's parcels come from. Carriers require the sender's phone number or email. */
export const Origin = Type.Object(
  {
    name: Name(100),
    street1: Name(100),
    street2: Omittable(Text(100)),
    city: Name(100),
    state: Omittable(Text(50)),
    zip: Name(20, { description: 'Carriers require one: 00000 where the country has no postal codes.' }),
    country: AnyCaseCountry,
    phone: Omittable(Text(40)),
    email: Omittable(Email),
  },
  { title: 'ShippingOrigin' },
);
export type Origin = Static<typeof Origin>;

/** The store's box: its dimensions, and its weight when empty. */
export const Box = Type.Object(
  {
    length_in: Inches,
    width_in: Inches,
    height_in: Inches,
    weight_oz: Type.Number({ minimum: 0, maximum: 2400, examples: [2] }),
  },
  { title: 'ShippingBox' },
);
export type Box = Static<typeof Box>;

/** A shipping option that shoppers can choose at checkout. */
export const ShippingOption = Type.Object(
  {
    name: Name(100, { examples: ['Standard'] }),
    amount_cents: Cents,
    free_over_cents: Omittable(Cents),
  },
  { title: 'ShippingOption' },
);
export type ShippingOption = Static<typeof ShippingOption>;

/** The `shipping` section of a store file. */
export const ShippingAccountInput = Type.Object({
  provider: Type.Literal('shippo'),
  api_key: Text(500),
  webhook_token: Omittable(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The token in the webhook URL that Shippo calls. Without one, webhooks are rejected.',
    }),
  ),
  webhook_secret: Omittable(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'The secret that Shippo signs webhooks with, if its support enabled signatures. ' +
        'With one, unsigned webhooks are rejected.',
    }),
  ),
  carriers: Type.Array(Carrier, {
    default: [],
    maxItems: 50,
    description: 'Enabled carriers; empty: all carriers of the account.',
  }),
  origin: Origin,
  parcel: Box,
  label_cost_cap_cents: Omittable(
    Type.Integer({
      ...Cents,
      description:
        'The most for a label that is not chosen by hand, in US dollars where parcels leave from the US, and otherwise ' +
        "in the store's currency. A label in another currency is above it.",
    }),
  ),
  countries: Type.Array(AnyCaseCountry, { default: ['US'], minItems: 1, maxItems: 250 }),
  options: Type.Array(ShippingOption, { default: [], maxItems: 5 }),
});
export type ShippingAccountInput = Static<typeof ShippingAccountInput>;

/** The issues of shipping settings beyond their schema. */
export const issuesOfShipping = ({ origin, countries }: ShippingAccountChange): Issue[] => [
  ...checkCountry('/origin/country', origin.country),
  ...countries.flatMap((country, index) => checkDestination(`/countries/${index}`, country)),
];

/** Regions with a code that the payment page offers no addresses in: it rejects a session that names one. */
const noDestinations = 'AS CC CP CQ CU CX DG EA EU EZ FM HM IC IR KP MH MP NF PW QO SY UM UN VI XA XB'.split(' ');

function checkDestination(path: string, country: string): Issue[] {
  const issues = checkCountry(path, country);
  if (issues.length > 0 || !noDestinations.includes(country)) return issues;
  return [issue(path, 'is not offered as a destination by the payment provider')];
}

/** The body of PUT /admin/providers/shipping: secrets are never returned, so one that is left out stays. */
export const ShippingAccountChange = Type.Object({
  ...ShippingAccountInput.properties,
  api_key: Type.Optional(ShippingAccountInput.properties.api_key),
});
export type ShippingAccountChange = Static<typeof ShippingAccountChange>;

export const SecondShippingAccountInput = Type.Object({
  provider: Type.Literal('easypost'),
  api_key: Text(500),
});
export type SecondShippingAccountInput = Static<typeof SecondShippingAccountInput>;

export const ShippingAccountEntity = defineEntity({
  name: 'ShippingAccount',
  tableName: 'shipping_accounts',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    provider: p.string(),
    apiKeySealed: p.string(),
    webhookTokenSealed: p.string().nullable(),
    webhookSecretSealed: p.string().nullable(),
    carriers: p.json<string[]>(),
    origin: p.json<Origin>(),
    parcel: p.json<Box>(),
    labelCostCapCents: p.bigint('number').nullable(),
    countries: p.json<string[]>(),
    options: p.json<ShippingOption[]>(),
    pausedAt: p.datetime().nullable(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const SecondShippingAccountEntity = defineEntity({
  name: 'SecondShippingAccount',
  tableName: 'second_shipping_accounts',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    provider: p.string(),
    apiKeySealed: p.string(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** Sealed values are bound to their store and to one of these names. */
export type SealedField =
  | 'shipping_api_key'
  | 'shipping_webhook_token'
  | 'shipping_webhook_secret'
  | 'second_shipping_api_key';

/** A store's shipping settings with the account's key decrypted, for one use. */
export interface OpenedAccount {
  readonly id: string;
  readonly account: ShippingAccount;
  readonly carriers: readonly string[];
  readonly origin: Origin;
  readonly parcel: Box;
  readonly labelCostCapCents: number | null;
  readonly countries: readonly string[];
  readonly options: readonly ShippingOption[];
  /** Whether labels wait because the provider rejects the key. */
  readonly isPaused: boolean;
}

interface AccountRow extends Omit<OpenedAccount, 'account'> {
  readonly apiKeySealed: string;
}

/** `undefined` where the store has no shipping account. */
export async function openAccount(ctx: Context): Promise<OpenedAccount | undefined> {
  const row = await readOne<{ account: AccountRow | null }>(ctx, sql`select ${accountOf(ctx)} as account`);
  return row?.account ? open(ctx, row.account) : undefined;
}

/** The account and an order, where there are any. */
export interface AccountAndOrder {
  readonly account: OpenedAccount | undefined;
  readonly order: OrderForShipping | undefined;
}

/** The account and an order as they are read, with one statement. */
export interface AccountAndOrderRow {
  readonly account: AccountRow | null;
  readonly order: OrderForShipping | null;
}

/** The columns of `AccountAndOrderRow`, for a statement that reads more. */
export const accountAndOrderOf = (ctx: Context, orderId: string | Sql): Sql =>
  sql`${accountOf(ctx)} as account, ${orderForShippingOf(ctx, orderId)} as "order"`;

export function openAccountAndOrder(ctx: Context, row: AccountAndOrderRow | undefined): AccountAndOrder {
  return { account: row?.account ? open(ctx, row.account) : undefined, order: row?.order ?? undefined };
}

const accountOf = (ctx: Context): Sql => sql`
  (select json_build_object('id', id, 'apiKeySealed', api_key_sealed, 'carriers', carriers, 'origin', origin,
      'parcel', parcel, 'labelCostCapCents', label_cost_cap_cents, 'countries', countries, 'options', options,
      'isPaused', paused_at is not null)
    from shipping_accounts where tenant_id = ${ctx.tenant.id})`;

function open(ctx: Context, { apiKeySealed, ...settings }: AccountRow): OpenedAccount {
  const apiKey = ctx.keyring.open(ctx.tenant.id, 'shipping_api_key', apiKeySealed);
  return { ...settings, account: { tenantId: ctx.tenant.id, apiKey } };
}

/** The account at the second provider, which is only checked. */
export async function openSecondAccount(ctx: Context): Promise<ShippingAccount | undefined> {
  const row = await readOne<{ apiKeySealed: string }>(
    ctx,
    sql`
    select api_key_sealed as "apiKeySealed" from second_shipping_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  if (!row) return undefined;
  return {
    tenantId: ctx.tenant.id,
    apiKey: ctx.keyring.open(ctx.tenant.id, 'second_shipping_api_key', row.apiKeySealed),
  };
}

/** Where a store ships to, and what shipping costs the shopper. */
export interface ShippingOptions {
  readonly countries: readonly string[];
  readonly options: readonly {
    readonly name: string;
    readonly amountCents: number;
    readonly freeOverCents: number | null;
  }[];
}

/** The options as JSON, as part of another statement; null where the store has no shipping settings. */
export const shippingOptionsOf = (ctx: Context): Sql => sql`
  (select json_build_object('countries', countries, 'options', (
      select coalesce(json_agg(json_build_object('name', option -> 'name', 'amountCents', option -> 'amount_cents',
        'freeOverCents', option -> 'free_over_cents') order by position), '[]')
      from jsonb_array_elements(options) with ordinality as offered(option, position)))
    from shipping_accounts where tenant_id = ${ctx.tenant.id})`;

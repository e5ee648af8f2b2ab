import { readPage } from '#src/database/read-page.ts';
import { read, readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Cents, Currency, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normaliseGiftCardCode } from './gift-card.ts';
import { normalisePromoCode } from './promo-code.ts';

/** A promo code as the owner sees it. */
export type ManagedPromo = Omit<RowOf<typeof PromoCodeView>, 'value'> & { readonly percent: number | null };

/** A gift card as the owner sees it. Its code cannot be read again. */
export type ManagedGiftCard = RowOf<typeof GiftCardView>;

/**
 * One page of the store's promo codes, newest first; or those that begin with `q`, in any spelling, by their codes.
 * @throws DomainError `invalid_cursor`
 */
export async function listPromos(
  ctx: Context,
  { q = '', ...page }: PageRequest & { readonly q?: string | undefined },
): Promise<Page<ManagedPromo>> {
  const from = normalisePromoCode(q);
  const list =
    from === ''
      ? { name: 'promo codes', columns: ['id'], descending: true }
      : {
          name: `promo codes from ${from}`,
          columns: ['code'],
          of: { column: 'tenant_id', value: ctx.tenant.id },
          from,
          to: `${from}\u{10ffff}`,
        };
  return readPage<ManagedPromo>(ctx, list, page, (position) => selectPromos(ctx, position), { replica: true });
}

/** @returns the promo code, in any spelling, or `undefined` for an unknown one */
export async function readPromo(ctx: Context, code: string): Promise<ManagedPromo | undefined> {
  return readOne<ManagedPromo>(ctx, sql`${selectPromos(ctx)} and code = ${normalisePromoCode(code)}`);
}

/**
 * One page of the store's gift cards, newest first; or those whose code ends with `q`, in any spelling.
 * @throws DomainError `invalid_cursor`
 */
export async function listGiftCards(
  ctx: Context,
  { q = '', ...page }: PageRequest & { readonly q?: string | undefined },
): Promise<Page<ManagedGiftCard>> {
  const last4 = normaliseGiftCardCode(q);
  const list = {
    name: `gift cards ${last4}`,
    columns: ['id'],
    descending: true,
    of:
      last4 === ''
        ? []
        : [
            { column: 'tenant_id', value: ctx.tenant.id },
            { column: 'last4', value: last4 },
          ],
  };
  return readPage<ManagedGiftCard>(ctx, list, page, (position) => selectGiftCards(ctx, position), { replica: true });
}

/** @returns the gift card, or `undefined` for an unknown id */
export async function readGiftCard(ctx: Context, id: string): Promise<ManagedGiftCard | undefined> {
  return readOne<ManagedGiftCard>(ctx, sql`${selectGiftCards(ctx)} and id = ${id}`);
}

const selectPromos = (ctx: Context, more: Sql = sql``): Sql => sql`
  select id, code, type, percent::float8 as percent, value_cents as "valueCents",
    min_subtotal_cents as "minSubtotalCents", usage_limit as "usageLimit", per_customer_limit as "perCustomerLimit",
    products, starts_at as "startsAt", ends_at as "endsAt", held, used, version, created_at as "createdAt",
    updated_at as "updatedAt"${more}
  from promo_codes where tenant_id = ${ctx.tenant.id} and removed_at is null`;

const selectGiftCards = (ctx: Context, more: Sql = sql``): Sql => sql`
  select id, last4, currency, balance_cents as "balanceCents", held_cents as "heldCents", disabled_at as "disabledAt",
    version, created_at as "createdAt"${more}
  from gift_cards where tenant_id = ${ctx.tenant.id}`;

/** All promo codes of the store that are not removed. */
export async function promoCodes(ctx: Context): Promise<string[]> {
  const rows = await read<{ code: string }>(
    ctx,
    sql`
    select code from promo_codes where tenant_id = ${ctx.tenant.id} and removed_at is null order by code`,
  );
  return rows.map(({ code }) => code);
}

const count = Type.Integer({ examples: [0] });

/** A promo code as the owner sees it. Sending it back unchanged changes nothing. */
export const PromoCodeView = Type.Object(
  {
    id: Id('promo'),
    code: Type.String({ examples: ['WELCOME10'] }),
    type: Type.Enum(['percent', 'fixed', 'free_shipping']),
    value: Nullable(Type.Number({ examples: [10] })),
    value_cents: Nullable(Cents),
    min_subtotal_cents: Cents,
    usage_limit: Nullable(Type.Integer({ examples: [100] })),
    per_customer_limit: Nullable(Type.Integer({ examples: [1] })),
    starts_at: Nullable(Timestamp),
    ends_at: Nullable(Timestamp),
    products: Type.Array(Type.String({ examples: ['oak-bowl'] })),
    /** Uses by open checkouts. */
    held: count,
    /** Uses by paid orders. */
    used: count,
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'PromoCode' },
);

export function presentPromo(promo: ManagedPromo): Static<typeof PromoCodeView> {
  return presentAs(PromoCodeView, { ...promo, value: promo.percent });
}

/** A gift card as the owner sees it, without its code. */
export const GiftCardView = Type.Object(
  {
    id: Id('gift'),
    last4: Type.String({ examples: ['NPQR'] }),
    currency: Currency,
    balance_cents: Cents,
    /** What open checkouts hold of the balance. */
    held_cents: Cents,
    disabled_at: Nullable(Timestamp),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'GiftCard' },
);

export function presentGiftCard(card: ManagedGiftCard): Static<typeof GiftCardView> {
  return presentAs(GiftCardView, card);
}

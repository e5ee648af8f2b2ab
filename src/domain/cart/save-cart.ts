import { write } from '#src/database/transact.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { days } from '#src/lib/duration.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { newId } from '#src/lib/ids.ts';
import {
  BooleanLike,
  CentsLike,
  Email,
  IntegerLike,
  Omittable,
  OmittableOrEmpty,
  ReadWith,
  type Static,
  Text,
  Type,
} from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { PurchaseType, quantityMax, SubscriptionInterval } from '../catalog/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { deriveTokenWith, readSessionSecret, tokenPurposes } from '../tenants/index.ts';
import { linesMax } from './cart.ts';

const price = Omittable(CentsLike);

/** A line of a cart to save, as the storefront knows it. An unknown product is saved all the same. */
const SavedLineInput = Type.Object({
  product_slug: OmittableOrEmpty(Text(100, { examples: ['oak-bowl'] })),
  variant_id: OmittableOrEmpty(Text(100, { examples: ['var_01m7xfs208fk1sctzyr3afnpz3'] })),
  name: OmittableOrEmpty(Text(300, { examples: ['Oak bowl'] })),
  quantity: IntegerLike({ minimum: 1, maximum: quantityMax }),
  /** The unit price that the shopper saw. */
  unit_price_cents: price,
  /** Another name of `unit_price_cents`, which some storefronts send. */
  price_cents: price,
  purchase_type: OmittableOrEmpty(PurchaseType),
  subscription_interval: ReadWith({ purchase_type: 'subscription' }, SubscriptionInterval),
});

/** A cart to save for an email address. */
export const SavedCartInput = Type.Object({
  email: Email,
  items: Type.Array(SavedLineInput, { minItems: 1, maxItems: linesMax }),
  /** Whether reminders may be sent. Default true. */
  consent: Omittable(BooleanLike()),
  session_id: OmittableOrEmpty(Text(200)),
  cart_id: OmittableOrEmpty(Text(100)),
});
export type SavedCartInput = Static<typeof SavedCartInput>;

const savedCartLifeMs = days(30);

export interface SavedCart {
  readonly id: string;
  readonly email: string;
  readonly savedAt: Date;
  readonly expiresAt: Date;
  /** Whether reminders may be sent. Whether the email has unsubscribed is checked when a reminder is due. */
  readonly consent: boolean;
}

/** A new saved cart, before it is stored. */
export function draftSavedCart(ctx: Context, { email, consent }: SavedCartInput): SavedCart {
  const savedAt = ctx.clock.now();
  const expiresAt = new Date(savedAt.getTime() + savedCartLifeMs);
  return { id: newId('scart'), email: normaliseEmail(email), savedAt, expiresAt, consent: consent ?? true };
}

/** Save a cart for an email address. It is restored with a token that is only sent to that address. */
export async function saveCart(ctx: Context, input: SavedCartInput): Promise<SavedCart> {
  const cart = draftSavedCart(ctx, input);
  const { id, email, savedAt: now, expiresAt, consent } = cart;
  const hashes = await tokenHashesOf(ctx, { savedCartId: id, email });
  const items = input.items.map((line) => ({
    productSlug: line.product_slug ?? null,
    variantId: line.variant_id ?? null,
    name: line.name ?? null,
    quantity: line.quantity,
    unitPriceCents: line.unit_price_cents ?? line.price_cents ?? null,
    purchaseType: line.purchase_type ?? null,
    interval: line.subscription_interval ?? null,
  }));
  await write(
    ctx,
    sql`
    saved as (
      insert into saved_carts (tenant_id, id, email, session_id, cart_id, currency, items, consent, restore_token_hash,
        saved_at, expires_at)
      values (${ctx.tenant.id}, ${id}, ${email}, ${input.session_id ?? null}, ${input.cart_id ?? null},
        ${ctx.tenant.currency}, ${JSON.stringify(items)}::jsonb, ${consent}, ${hashes.restore}, ${now}, ${expiresAt})
      returning id),
    known as (${renewUnsubscribeLink(ctx, hashes.unsubscribe, email)})`,
    sql`
    select id from saved`,
  );
  return cart;
}

/**
 * Store the hashes of the tokens that an email about this cart contains. The store's secret may have been rotated since
 * the cart was saved, which changes its tokens. Unsubscribe links of earlier emails keep working.
 */
export async function saveTokenHashes(
  ctx: InTransaction,
  { savedCartId, email }: { savedCartId: string; email: string },
): Promise<void> {
  const hashes = await tokenHashesOf(ctx, { savedCartId, email });
  await ctx.tx.execute(sql`
    with updated as (
      update saved_carts set restore_token_hash = ${hashes.restore}
      where tenant_id = ${ctx.tenant.id} and id = ${savedCartId} and restore_token_hash <> ${hashes.restore})
    ${renewUnsubscribeLink(ctx, hashes.unsubscribe, normaliseEmail(email))}`);
}

/** The statement that stores the link of an email address. All of its emails have the same one, which works for a year. */
const renewUnsubscribeLink = (ctx: Context, tokenHash: Buffer, email: string): Sql => sql`
  insert into unsubscribe_links (tenant_id, token_hash, email, created_at)
  values (${ctx.tenant.id}, ${tokenHash}, ${email}, ${ctx.clock.now()})
  on conflict (tenant_id, token_hash) do update set created_at = excluded.created_at`;

/** The hashes by which a saved cart's restore and unsubscribe tokens are found. */
async function tokenHashesOf(
  ctx: Context,
  { savedCartId, email }: { savedCartId: string; email: string },
): Promise<{ restore: Buffer; unsubscribe: Buffer }> {
  const secret = await readSessionSecret(ctx);
  return {
    restore: sha256(deriveTokenWith(ctx, secret, tokenPurposes.restoreCart, savedCartId)),
    unsubscribe: sha256(deriveTokenWith(ctx, secret, tokenPurposes.unsubscribe, normaliseEmail(email))),
  };
}

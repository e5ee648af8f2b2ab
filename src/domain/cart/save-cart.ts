import { write } from '#src/database/transact.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { BooleanLike, CentsLike, Email, IntegerLike, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { quantityMax } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { linesMax } from './cart.ts';
import { tokenHashesOf } from './tokens.ts';

const price = Omittable(CentsLike);

/** A line of a cart that a storefront saves: what it knows of it. A product that nobody knows is saved all the same. */
const SavedLineInput = Type.Object({
  product_slug: Omittable(Text(100, { examples: ['oak-bowl'] })),
  variant_id: Omittable(Text(100, { examples: ['var_01m7xfs208fk1sctzyr3afnpz3'] })),
  name: Omittable(Text(300, { examples: ['Oak bowl'] })),
  quantity: IntegerLike({ minimum: 1, maximum: quantityMax }),
  /** The price of one that the shopper saw. */
  unit_price_cents: price,
  /** The same, as other storefronts call it. */
  price_cents: price,
});

/** A cart to be kept for whoever reads mail at this address. */
export const SavedCartInput = Type.Object({
  email: Email,
  items: Type.Array(SavedLineInput, { minItems: 1, maxItems: linesMax }),
  /** Whether reminders may be sent. Default true. */
  consent: Omittable(BooleanLike()),
  session_id: Omittable(Text(200)),
  cart_id: Omittable(Text(100)),
});
export type SavedCartInput = Static<typeof SavedCartInput>;

const savedCartLifeMs = days(30);

export interface SavedCart {
  readonly id: string;
  readonly email: string;
  readonly savedAt: Date;
  readonly expiresAt: Date;
  /** Whether its owner may be reminded of it. Who has unsubscribed is judged when a reminder is due, and not told. */
  readonly consent: boolean;
}

/** A saved cart as it will be. */
export function draftSavedCart(ctx: Context, { email, consent }: SavedCartInput): SavedCart {
  const savedAt = ctx.clock.now();
  const expiresAt = new Date(savedAt.getTime() + savedCartLifeMs);
  return { id: newId('scart'), email: normaliseEmail(email), savedAt, expiresAt, consent: consent ?? true };
}

/** Save a cart for whoever reads email at this address. It is opened by a token that only an email to the address holds. */
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
    known as (
      insert into unsubscribe_links (tenant_id, token_hash, email, created_at)
      values (${ctx.tenant.id}, ${hashes.unsubscribe}, ${email}, ${now})
      on conflict do nothing)`,
    sql`
    select id from saved`,
  );
  return cart;
}

import { write } from '#src/database/transact.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import type { SavedCartInput } from './saved-cart-input.ts';
import { tokenHashesOf } from './tokens.ts';

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

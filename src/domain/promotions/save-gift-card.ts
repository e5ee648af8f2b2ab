import { LockMode } from '@mikro-orm/core';
import { lockNames } from '#src/database/lock-names.ts';
import { lockRow } from '#src/database/rows.ts';
import { transact } from '#src/database/transact.ts';
import { randomText } from '#src/lib/crypto.ts';
import { found, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Cents } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Change, IdentifiedChange } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';
import { GiftCard, type GiftCardInput, type HashedCode, hashedCode } from './gift-card.ts';
import { issuedCents } from './gift-card-balance.ts';
import { type ManagedGiftCard, presentGiftCard, readGiftCard } from './managed-promotions.ts';

/**
 * Create a gift card. Its balance is an opening value: an existing card keeps its balance unless `setBalance` is true,
 * and even then the new balance is at least what open checkouts hold.
 */
export async function saveGiftCard(
  ctx: InTransaction,
  input: GiftCardInput,
  options: { setBalance?: boolean } = {},
): Promise<IdentifiedChange> {
  return saveHashedGiftCard(ctx, { ...hashedCode(ctx, input.code), balanceCents: input.balance_cents }, options);
}

/** The same where only the hash of the code is known. */
async function saveHashedGiftCard(
  ctx: InTransaction,
  given: HashedCode & { readonly balanceCents: Cents },
  { setBalance = false }: { setBalance?: boolean } = {},
): Promise<IdentifiedChange> {
  const { em } = ctx.tx;
  const { codeHash, last4 } = given;
  const subject = `gift card …${last4}`;
  await lockNames(ctx, 'gift_card', [codeHash.toString('base64url')]);
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const card = await em.findOne(GiftCard, { tenantId: ctx.tenant.id, codeHash }, { lockMode });
  if (!card) {
    const id = await insertGiftCard(ctx, given);
    return { id, subject, action: 'created', fields: ['code', 'balance_cents'] };
  }
  const { id } = card;
  const balanceCents = Math.max(given.balanceCents, card.heldCents);
  if (!setBalance || card.balanceCents === balanceCents) return { id, subject, action: 'unchanged', fields: [] };
  const values = { balance_cents: [card.balanceCents, balanceCents] } as const;
  const adjustedCents = balanceCents - card.balanceCents;
  card.balanceCents = balanceCents;
  card.updatedAt = ctx.clock.now();
  await em.flush();
  await ctx.tx.execute(sql`
    insert into gift_card_adjustments (tenant_id, gift_card_id, version, amount_cents, at)
    values (${ctx.tenant.id}, ${id}, ${card.version}, ${adjustedCents}, ${card.updatedAt})`);
  return { id, subject, action: 'updated', fields: ['balance_cents'], values };
}

/**
 * Create a gift card that was issued elsewhere.
 * @throws DomainError `invalid_request` if it exists and was issued with another amount
 */
export async function importGiftCard(
  ctx: InTransaction,
  given: HashedCode & { readonly balanceCents: Cents },
): Promise<IdentifiedChange> {
  const change = await saveHashedGiftCard(ctx, given);
  if (change.action === 'created') return change;
  const [card] = await ctx.tx.execute<{ cents: Cents }>(sql`
    select ${issuedCents} as cents from gift_cards g
    where g.tenant_id = ${ctx.tenant.id} and g.id = ${change.id}`);
  if (card?.cents === given.balanceCents) return change;
  throw invalidRequest(`The card exists already. It was issued with ${card?.cents} cents.`);
}

/** Create a gift card with a code of 80 random bits. Only its hash is stored, so the code cannot be returned again. */
export async function issueGiftCard(
  ctx: InTransaction,
  { balanceCents }: { balanceCents: Cents },
): Promise<{ giftCardId: string; code: string }> {
  const code = (randomText(16).toUpperCase().match(/.{4}/g) ?? []).join('-');
  return { giftCardId: await insertGiftCard(ctx, { ...hashedCode(ctx, code), balanceCents }), code };
}

async function insertGiftCard(
  ctx: InTransaction,
  { codeHash, last4, balanceCents }: HashedCode & { readonly balanceCents: Cents },
): Promise<string> {
  const now = ctx.clock.now();
  const card = ctx.tx.em.create(GiftCard, {
    tenantId: ctx.tenant.id,
    id: newId('gift'),
    codeHash,
    last4,
    currency: ctx.tenant.currency,
    balanceCents,
    heldCents: 0,
    disabledAt: null,
    createdAt: now,
    updatedAt: now,
  });
  await ctx.tx.em.flush();
  return card.id;
}

/** Create a gift card for the owner and write it into the audit log. The code cannot be returned again. */
export async function createGiftCard(
  ctx: Context,
  { balanceCents }: { balanceCents: Cents },
): Promise<{ card: ManagedGiftCard; code: string }> {
  return transact(ctx, async (ctx) => {
    const { giftCardId, code } = await issueGiftCard(ctx, { balanceCents });
    const card = await readGiftCard(ctx, giftCardId);
    if (!card) throw new TypeError('The created gift card was not found.');
    await recordAudit(ctx, {
      action: 'gift_card.created',
      subjectKind: 'gift_card',
      subjectId: giftCardId,
      after: presentGiftCard(card),
    });
    return { card, code };
  });
}

/**
 * Disable a gift card for new checkouts. Open checkouts keep the amounts that they hold.
 * @throws DomainError not_found
 */
export async function disableGiftCard(ctx: InTransaction, { giftCardId }: { giftCardId: string }): Promise<Change> {
  const card = found(await lockRow(ctx, GiftCard, giftCardId), 'gift card');
  const subject = `gift card …${card.last4}`;
  if (card.disabledAt) return { subject, action: 'unchanged', fields: [] };
  card.disabledAt = ctx.clock.now();
  card.updatedAt = ctx.clock.now();
  await ctx.tx.em.flush();
  return { subject, action: 'updated', fields: ['disabled_at'] };
}

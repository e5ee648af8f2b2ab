import { type InferEntity, LockMode } from '@mikro-orm/core';
import { lockNames } from '#src/database/lock-names.ts';
import { lockRow } from '#src/database/rows.ts';
import { transact } from '#src/database/transact.ts';
import { randomText } from '#src/lib/crypto.ts';
import { found, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Cents } from '#src/lib/money.ts';
import { opaque, sql } from '#src/lib/sql.ts';
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
  { setBalance = false }: { setBalance?: boolean } = {},
): Promise<IdentifiedChange> {
  const { em } = ctx.tx;
  const given = { ...hashedCode(ctx, input.code), balanceCents: input.balance_cents };
  const { codeHash } = given;
  const subject = subjectOf(given);
  await lockNames(ctx, 'gift_card', [nameOf(given)]);
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const card = await em.findOne(GiftCard, { tenantId: ctx.tenant.id, codeHash }, { lockMode });
  if (!card) {
    const { id } = createCard(ctx, given);
    await em.flush();
    return { id, subject, action: 'created', fields: createdFields };
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

const createdFields = ['code', 'balance_cents'];
const subjectOf = ({ last4 }: HashedCode) => `gift card …${last4}`;
const nameOf = ({ codeHash }: HashedCode) => codeHash.toString('base64url');

/**
 * Create gift cards that were issued elsewhere.
 * @throws DomainError `invalid_request` if one exists and was issued with another amount
 */
export async function addIssuedGiftCards(
  ctx: InTransaction,
  cards: readonly NewGiftCard[],
): Promise<IdentifiedChange[]> {
  await lockNames(ctx, 'gift_card', cards.map(nameOf));
  const stored = await ctx.tx.execute<{ codeHash: Buffer; id: string; cents: Cents }>(sql`
    select g.code_hash as "codeHash", g.id, ${issuedCents} as cents
    from unnest(${cards.map(({ codeHash }) => codeHash)}::bytea[]) as given(code_hash) cross join lateral (
      select * from gift_cards g
      where g.tenant_id = ${opaque(ctx.tenant.id)} and g.code_hash = given.code_hash offset 0) as g`);
  const issued = new Map(stored.map(({ codeHash, id, cents }) => [codeHash.toString('base64url'), { id, cents }]));
  const changes = cards.map((card): IdentifiedChange => {
    const known = issued.get(nameOf(card));
    if (!known) {
      const { id } = createCard(ctx, card);
      issued.set(nameOf(card), { id, cents: card.balanceCents });
      return { id, subject: subjectOf(card), action: 'created', fields: createdFields };
    }
    if (known.cents !== card.balanceCents)
      throw invalidRequest(`The card exists already. It was issued with a balance_cents of ${known.cents}.`);
    return { id: known.id, subject: subjectOf(card), action: 'unchanged', fields: [] };
  });
  await ctx.tx.em.flush();
  return changes;
}

/** Create a gift card with a code of 80 random bits. Only its hash is stored, so the code cannot be returned again. */
export async function issueGiftCard(
  ctx: InTransaction,
  { balanceCents }: { balanceCents: Cents },
): Promise<{ giftCardId: string; code: string }> {
  const code = (randomText(16).toUpperCase().match(/.{4}/g) ?? []).join('-');
  const { id } = createCard(ctx, { ...hashedCode(ctx, code), balanceCents });
  await ctx.tx.em.flush();
  return { giftCardId: id, code };
}

type NewGiftCard = HashedCode & { readonly balanceCents: Cents };

/** A card of the unit of work, which is still to be written. */
function createCard(ctx: InTransaction, { codeHash, last4, balanceCents }: NewGiftCard): InferEntity<typeof GiftCard> {
  const now = ctx.clock.now();
  return ctx.tx.em.create(GiftCard, {
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

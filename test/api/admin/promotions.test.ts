import anyTest, { type TestFn } from 'ava';

import { quoteGiftCard, quotePromo } from '#src/domain/promotions/index.ts';
import { newId } from '#src/lib/ids.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { auditOf, deedsOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

const welcome = { code: 'welcome10', type: 'percent', value: 10, usage_limit: 100 };

test('admin promo codes: a code is created, changed, removed and restored', async (t) => {
  const { ctx, owner } = t.context;
  const made = await owner.post('/promo-codes', welcome);
  t.is(made.status, 201);
  t.like(made.body.promo_code, {
    code: 'WELCOME10',
    type: 'percent',
    value: 10,
    value_cents: null,
    usage_limit: 100,
    used: 0,
    held: 0,
  });
  const quote = async () =>
    (await quotePromo(ctx, { code: 'WELCOME10', currency: 'USD', subtotalCents: 1000 })).discountCents;
  t.is(await quote(), 100);

  const changed = await owner.put('/promo-codes/Welcome10', {
    ...made.body.promo_code,
    type: 'fixed',
    value_cents: 250,
  });
  t.like(changed.body.promo_code, { id: made.body.promo_code.id, type: 'fixed', value: null, value_cents: 250 });
  t.is(await quote(), 250);
  t.deepEqual((await owner.delete('/promo-codes/welcome10')).body, { ok: true });
  t.is(await quote(), 0);
  t.is(resultOf(await owner.put('/promo-codes/welcome10', welcome)), '404 not_found');
  t.is(resultOf(await owner.delete('/promo-codes/welcome10')), '404 not_found');
  t.is((await owner.post('/promo-codes', welcome)).body.promo_code.id, made.body.promo_code.id);

  t.deepEqual(await deedsOf(ctx), [
    'promo_code.created',
    'promo_code.updated',
    'promo_code.removed',
    'promo_code.created',
  ]);
  const [, updated] = await auditOf(ctx);
  t.like(updated?.before, { type: 'percent', value: 10 });
  t.deepEqual(updated?.after.changed, ['type', 'percent', 'value_cents']);
});

test('POST /admin/promo-codes rejects a used code, a missing value and an end before the start', async (t) => {
  const { owner } = t.context;
  await owner.post('/promo-codes', welcome);
  t.deepEqual(placesOf(await owner.post('/promo-codes', { ...welcome, code: ' WELCOME10 ' })), ['/code']);
  t.true(placesOf(await owner.post('/promo-codes', { code: 'X', type: 'fixed' })).includes('/value_cents'));
  t.true(placesOf(await owner.put('/promo-codes/WELCOME10', { type: 'percent' })).includes('/value'));
  const backwards = { ...welcome, code: 'Y', starts_at: '2026-12-02T00:00:00Z', ends_at: '2026-12-01T00:00:00Z' };
  t.deepEqual(placesOf(await owner.post('/promo-codes', backwards)), ['/ends_at']);
});

test('POST /admin/gift-cards returns the code once and stores it nowhere', async (t) => {
  const { ctx, owner } = t.context;
  const { status, body } = await owner.post('/gift-cards', { balance_cents: 5000 });
  t.is(status, 201);
  t.like(body.gift_card, {
    balance_cents: 5000,
    held_cents: 0,
    currency: 'USD',
    disabled_at: null,
    last4: body.code.slice(-4),
  });
  t.like(await quoteGiftCard(ctx, { code: body.code, orderTotalCents: 100 }), { valid: true, appliedCents: 100 });
  const resultOf = JSON.stringify([(await owner.get('/gift-cards')).body, await auditOf(ctx)]);
  t.false(resultOf.includes(body.code) || resultOf.includes(body.code.replaceAll('-', '')));
  t.deepEqual(await deedsOf(ctx), ['gift_card.created']);
  t.deepEqual(placesOf(await owner.post('/gift-cards', { balance_cents: -1 })), ['/balance_cents']);
});

test('POST /admin/gift-cards/:id/disable makes a card unusable', async (t) => {
  const { ctx, owner } = t.context;
  const card = await buildGiftCard(ctx);
  const disabled = await owner.post(`/gift-cards/${card.id}/disable`);
  t.truthy(disabled.body.gift_card.disabled_at);
  t.deepEqual((await owner.post(`/gift-cards/${card.id}/disable`)).body, disabled.body);
  t.false((await quoteGiftCard(ctx, { code: card.code, orderTotalCents: 100 })).valid);
  t.is(resultOf(await owner.post(`/gift-cards/${newId('gift')}/disable`)), '404 not_found');
  t.deepEqual(await deedsOf(ctx), ['gift_card.updated']);
});

test('GET /admin/promo-codes and /admin/gift-cards list pages', async (t) => {
  const { ctx, owner } = t.context;
  const promos = [];
  const cards = [];
  for (const index of [1, 2, 3]) {
    promos.unshift((await buildPromo(ctx, { code: `P${index}` })).code);
    cards.unshift((await buildGiftCard(ctx)).id);
  }
  t.deepEqual(
    (await pagesOf(owner, '/promo-codes', 'promo_codes')).flat().map(({ code }) => code),
    promos,
  );
  t.deepEqual(
    (await pagesOf(owner, '/gift-cards', 'gift_cards')).flat().map(({ id }) => id),
    cards,
  );
});

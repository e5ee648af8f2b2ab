import anyTest, { type TestFn } from 'ava';

import * as jobs from '#jobs/labels.ts';
import { read } from '#src/database/transact.ts';
import { exportKindOf } from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { matchPurchases } from '#src/domain/shipping/check-purchases.ts';
import { markFulfilled, refundDuplicate, retryLabel, voidLabel } from '#src/domain/shipping/index.ts';
import { days } from '#src/lib/duration.ts';
import { ManualActionRequired } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { TestClock } from '#test/support/clock.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { type FakeShipping, rate, rejection } from '#test/support/fakes/shipping-gateway.ts';
import { labelOf, orderOf, rateIdOf, request, runToEnd, withFake } from './support.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

interface Store {
  readonly ctx: Context;
  readonly clock: TestClock;
  readonly shipping: FakeShipping;
  readonly order: { readonly id: string; readonly orderNumber: string };
  readonly labelId: string;
  /** The ids of all purchases, in their order. */
  readonly purchases: string[];
}

/** What can happen to a label on a day. */
const steps = {
  async buy({ ctx, clock, shipping, order, purchases }: Store) {
    const { state, purchaseId } = await runToEnd(ctx, clock, order.id);
    if (state !== 'purchased') throw new Error(`The label is ${state}.`);
    purchases.push(purchaseId ?? '');
    if (!shipping.bought().some(({ id }) => id === purchaseId)) throw new Error('The provider sold nothing.');
  },
  async 'void it'({ ctx, labelId }: Store) {
    await voidLabel(ctx, { labelId });
  },
  async 'void it at the provider'(store: Store) {
    await decide(store, store.purchases.at(-1), 'refunding');
    await decide(store, store.purchases.at(-1), 'refunded');
  },
  async 'reject the refund of the first'(store: Store) {
    await decide(store, store.purchases[0], 'refund_rejected');
  },
  async 'buy another'(store: Store) {
    await retryLabel(store.ctx, { labelId: store.labelId });
    await steps.buy(store);
  },
  async 'ship it by hand'({ ctx, order }: Store) {
    await markFulfilled(ctx, { orderId: order.id, carrier: 'UPS', trackingNumber: '1Z999AA10123456784' });
  },
  async 'buy a second one'(store: Store) {
    const { ctx, shipping, order, labelId } = store;
    const marker = `${labelId}:2 ${ctx.tenant.id} ${order.orderNumber}`;
    const account = { tenantId: ctx.tenant.id, apiKey: '' };
    const second = await shipping.buyLabel(account, { rateId: await rateIdOf(ctx, labelId), marker });
    store.purchases.unshift(second.id);
    await decide(store, second.id, 'purchased');
  },
  async 'refund the second one'({ ctx }: Store) {
    for (const duplicate of await enqueuedJobs(ctx, jobs.refundDuplicate)) await refundDuplicate(ctx, duplicate);
  },
  async 'reject to refund the second one'(store: Store) {
    store.shipping.throws.refund = [rejection()];
    await steps['refund the second one'](store).catch((error) => {
      if (!(error instanceof ManualActionRequired)) throw error;
    });
  },
} satisfies Record<string, (store: Store) => Promise<void>>;

/** The provider says something else of a purchase, and the service asks it. */
async function decide(
  { ctx, shipping, labelId }: Store,
  id: string | undefined,
  state: Parameters<FakeShipping['amend']>[1],
): Promise<void> {
  shipping.amend(id ?? '', state);
  const account = { tenantId: ctx.tenant.id, apiKey: '' };
  await matchPurchases(ctx, labelId, [await shipping.fetchPurchase(account, id ?? '')]);
}

const [cost, refund, rejected] = [
  ['label_costs', -842],
  ['label_refunds', 842],
  ['label_refunds', -842],
] as const;

/** Stories: on each day a step, and what it adds to the journal. */
const stories: readonly (readonly (readonly [
  step: keyof typeof steps,
  ...entries: (readonly [string, number])[],
])[])[] = [
  [
    ['buy', cost],
    ['void it', refund],
    ['reject the refund of the first', rejected],
  ],
  [
    ['buy', cost],
    ['void it at the provider', refund],
    ['buy another', cost],
    ['void it', refund],
  ],
  [
    ['buy', cost],
    ['void it at the provider', refund],
    ['buy another', cost],
    ['void it at the provider', refund],
    ['buy another', cost],
    ['reject the refund of the first', rejected],
    ['reject the refund of the first'],
  ],
  [['buy', cost], ['void it at the provider', refund], ['ship it by hand']],
  [['buy', cost], ['void it at the provider', refund], ['reject the refund of the first', rejected], ['void it']],
  [
    ['buy', cost],
    ['buy a second one', cost],
    ['refund the second one', refund],
  ],
  [
    ['buy', cost],
    ['buy a second one', cost],
    ['refund the second one', refund],
    ['reject the refund of the first', rejected],
    ['reject the refund of the first'],
  ],
  [['buy', cost], ['buy a second one', cost], ['reject to refund the second one'], ['refund the second one', refund]],
];

for (const story of stories)
  test(`the journal has each cost and refund on its day: ${story.map(([step]) => step).join(', ')}`, async (t) => {
    const fake = withFake(t.context.ctx);
    await buildShippingAccount(fake.ctx);
    const store: Store = { ...fake, ...(await request(fake.ctx)), purchases: [] };
    const expected: unknown[] = [];
    for (const [step, ...entries] of story) {
      fake.clock.pass(days(1));
      await steps[step](store);
      const day = fake.clock.now().toISOString().slice(0, 10);
      expected.push(...entries.map(([account, cents]) => [day, account, cents]));
      const journal = exportKindOf({ kind: 'journal' }).select(fake.ctx, { from: null, to: null });
      const rows = await read<{ day: string; account: string; amount_cents: number }>(fake.ctx, journal);
      t.deepEqual(
        rows
          .filter(({ account }) => account.startsWith('label'))
          .map((row) => [row.day, row.account, row.amount_cents]),
        expected,
        step,
      );
    }
  });

test('the provider rejects the refund of a label that was voided at its website, and the order says so', async (t) => {
  const fake = withFake(t.context.ctx);
  await buildShippingAccount(fake.ctx);
  const store: Store = { ...fake, ...(await request(fake.ctx)), purchases: [] };
  await steps.buy(store);
  await steps['void it at the provider'](store);
  t.like(await labelOf(fake.ctx, store.order.id), { state: 'needs_attention', purchaseId: null });
  await steps['buy another'](store);
  t.is((await orderOf(fake.ctx, store.order.id)).attention, null);
  await steps['reject the refund of the first'](store);
  t.is((await orderOf(fake.ctx, store.order.id)).attention, 'label_not_refunded');
  t.deepEqual(await enqueuedJobs(fake.ctx, jobs.refundDuplicate), [], 'none is refunded again');
});

test('of two second labels, the one whose refund was requested is recorded so, and the other one waits', async (t) => {
  const fake = withFake(t.context.ctx);
  const { ctx } = fake;
  await buildShippingAccount(ctx);
  const store: Store = { ...fake, ...(await request(ctx)), purchases: [] };
  for (const step of ['buy', 'buy a second one', 'buy a second one'] as const) await steps[step](store);
  await decide(store, store.purchases[0], 'purchased');
  const [first, ...others] = await enqueuedJobs(ctx, jobs.refundDuplicate);
  t.is(others.length, 1, 'what is found again is not refunded again');
  if (first) await refundDuplicate(ctx, first);
  const states = await read(
    ctx,
    sql`select purchase_id as "purchaseId" from unused_labels where tenant_id = ${ctx.tenant.id} and state = 'found'`,
  );
  t.deepEqual(states, [...others]);
});

test('each of several second labels at rates of their own has its own price', async (t) => {
  const fake = withFake(t.context.ctx);
  const { ctx, shipping } = fake;
  await buildShippingAccount(ctx);
  const store: Store = { ...fake, ...(await request(ctx)), purchases: [] };
  await steps.buy(store);
  const account = { tenantId: ctx.tenant.id, apiKey: '' };
  const prices = new Map([500, 600, 700, 800].map((amountCents) => [`rate_${amountCents}`, amountCents]));
  for (const rateId of prices.keys()) {
    const marker = `${store.labelId}:2 ${ctx.tenant.id} ${store.order.orderNumber}`;
    await decide(store, (await shipping.buyLabel(account, { rateId, marker })).id, 'purchased');
  }
  shipping.fetchRate = async (_account, id) => ({ rate: rate({ id, amountCents: prices.get(id) ?? 0 }), marker: '' });
  const duplicates = await enqueuedJobs(ctx, jobs.refundDuplicate);
  for (const duplicate of duplicates.reverse()) await refundDuplicate(ctx, duplicate);
  const rows = await read<{ rateId: string; amountCents: number }>(
    ctx,
    sql`
    select rate_id as "rateId", amount_cents as "amountCents" from unused_labels
    where tenant_id = ${ctx.tenant.id} order by rate_id`,
  );
  t.deepEqual(new Map(rows.map(({ rateId, amountCents }) => [rateId, amountCents])), prices);
});

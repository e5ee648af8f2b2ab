import anyTest, { type TestFn } from 'ava';
import { read } from '#src/database/transact.ts';
import { daily } from '#src/domain/analytics/index.ts';
import { exportOrders } from '#src/domain/bulk/exports/orders.ts';
import { readManagedOrder, readOrder } from '#src/domain/orders/index.ts';
import { dayOf } from '#src/lib/calendar.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { aggregateAll } from '#test/support/factories/analytics.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { type Books, readBooks, sum } from '#test/support/money-books.ts';
import { moneyRules, type Past } from '#test/support/money-rules.ts';
import { MoneyStore } from '#test/support/money-store.ts';
import { type Random, seededRandom } from '#test/support/random.ts';
import { brokenRules, equal, named } from '#test/support/rules.ts';
import { type StripeContext, useStripe } from '#test/support/use-stripe.ts';

/*
 * The rules of money. Whatever shoppers, the owner, the payment provider and the banks do, in whatever order, each of
 * these rules holds after each step. A failure prints the seed of its sequence and the steps. To try more:
 *
 *   MONEY_SEQUENCES=200 MONEY_STEPS=60 MONEY_SEED=1000 npm test -- test/money.test.ts
 */

const test = anyTest as TestFn<StripeContext>;
const labels = fakeShippingByStore();
await useStripe(test, {}, { mailer: fakeMailer(), shipping: labels.gateway }, { isRecorded: false });

/** Two decimals; none; three, charged in steps of ten; none, but written with two. */
const currencies = ['USD', 'JPY', 'KWD', 'ISK'];

/** What can happen, and how often. */
const steps: readonly (readonly [number, (store: MoneyStore) => Promise<string | undefined>])[] = [
  [10, (store) => store.buy()],
  [3, (store) => store.checkout()],
  [1, (store) => store.giveCoffee()],
  [4, (store) => store.pay()],
  [3, (store) => store.endDebit()],
  [1, (store) => store.expire()],
  [3, (store) => store.refund()],
  [2, (store) => store.refundInDashboard()],
  [1, (store) => store.failRefund()],
  [1, (store) => store.openDispute()],
  [2, (store) => store.closeDispute()],
  [7, (store) => store.requestReturn()],
  [8, (store) => store.decideReturn()],
  [2, (store) => store.ship()],
  [2, (store) => store.issueCard()],
  [1, (store) => store.setBalance()],
  [1, (store) => store.disableCard()],
  [3, (store) => store.renew()],
  [1, (store) => store.manageSubscription()],
  [1, (store) => store.changeStock()],
  [3, (store) => store.passTime()],
];
const weighted = steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));

type StoreRule = (books: Books, store: MoneyStore, past: Past) => void | Promise<void>;

/** What holds after each step. */
const rules: Readonly<Record<string, StoreRule>> = {
  ...moneyRules,

  'labels cost what the carrier was paid and has not refunded': ({ accounts }, { ctx }) => {
    const bought = labels.of(ctx.tenant.id).bought();
    equal((accounts['label_costs'] ?? 0) + (accounts['label_refunds'] ?? 0), -842 * bought.length);
  },
};

/** What is compared once, at the end of a sequence. */
const rulesOfTheEnd: Readonly<Record<string, StoreRule>> = {
  'the analytics count the total of each paid order on its day': async ({ days, orders }, store) => {
    const { days: reported } = await daily(store.ctx, { from: dayOf(store.openedAt), to: dayOf(store.now()) });
    for (const { day, revenue_cents: revenue } of reported) {
      named(day, () => equal(revenue, days.get(`${day} payments`) ?? 0));
    }
    equal(sum(reported.map((each) => each.orders)), orders.filter(({ isPaid }) => isPaid).length);
  },

  'the shopper, the owner and the export see the same amounts': async (_books, { ctx }) => {
    const select = exportOrders.selectObjects ?? exportOrders.select;
    const exported = await read<Record<string, unknown>>(ctx, select(ctx, { from: null, to: null }));
    for (const order of exported) {
      const id = String(order['order_id']);
      const seen = await Promise.all([readOrder(ctx, id), readManagedOrder(ctx, id).then((found) => found?.order)]);
      for (const view of seen) {
        for (const [field, value] of Object.entries(view ?? {})) {
          if (field.endsWith('_cents') || field === 'status') named(field, () => equal(value, order[field]));
        }
      }
    }
  },
};

/** What is rejected is a step, too: nothing may have moved. */
async function take(store: MoneyStore, random: Random): Promise<string | undefined> {
  try {
    return await random.pick(weighted)(store);
  } catch (error) {
    if (error instanceof DomainError) return `rejected: ${error.code}`;
    if (error instanceof Error && / returned 4\d\d: /.test(error.message)) return 'rejected by the provider';
    throw error;
  }
}

function updatePast(past: Past, { orders }: Books): void {
  for (const { id, status, isShipped, returns, attentions } of orders) {
    const cameBack = returns.some((one) => ['received', 'refunded', 'closed'].includes(one.status));
    if (status === 'refunded' && !isShipped && !cameBack) past.restocked.add(id);
    if (attentions.includes('oversold')) past.oversold.add(id);
  }
}

/**
 * Take as many steps in a new store, and check the rules after each.
 * @throws Error with the steps, and the rules that are broken after the last of them
 */
async function play(context: StripeContext, currency: string, seed: number, length: number): Promise<void> {
  const random = seededRandom(seed);
  const store = await MoneyStore.open(context, currency, random);
  const past: Past = { books: undefined, isHurried: false, restocked: new Set(), oversold: new Set() };
  const taken = [`MONEY_SEED=${seed}, ${currency}`];

  async function check(rules: Readonly<Record<string, StoreRule>>): Promise<void> {
    await store.settle();
    const books = await readBooks(store);
    updatePast(past, books);
    const broken = await brokenRules(rules, books, store, past);
    if (broken.length > 0) throw new Error(broken.join('\n'));
    past.books = books;
  }

  try {
    await check(rules);
    for (let step = 0; step < length; step += 1) {
      const result = await take(store, random);
      if (result === undefined) continue;
      taken.push(result);
      past.isHurried = random.chance(0.2);
      if (past.isHurried) taken.push(`before its jobs have run: ${(await take(store, random)) ?? 'nothing'}`);
      await check(rules);
    }
    await aggregateAll(context.services);
    await check(rulesOfTheEnd);
  } catch (error) {
    throw new Error([...taken, error instanceof Error ? error.message : error].join('\n'), { cause: error });
  }
}

const numberOf = (variable: string, otherwise: number): number => Number(process.env[variable] ?? otherwise);

test.serial('after any sequence of steps that move money, the rules of money hold', async (t) => {
  const [sequences, length] = [numberOf('MONEY_SEQUENCES', currencies.length), numberOf('MONEY_STEPS', 25)];
  const first = numberOf('MONEY_SEED', 1);
  t.timeout(minutes(10) + minutes(1) * sequences);
  for (let seed = first; seed < first + sequences; seed += 1) {
    await t.notThrowsAsync(play(t.context, currencies[seed % currencies.length] ?? 'USD', seed, length));
  }
});

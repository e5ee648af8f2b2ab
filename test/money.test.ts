import anyTest, { type TestFn } from 'ava';
import { read } from '#src/database/transact.ts';
import { daily } from '#src/domain/analytics/index.ts';
import { exportOrders } from '#src/domain/bulk/exports/orders.ts';
import { readManagedOrder, readOrder } from '#src/domain/orders/index.ts';
import { readPartner } from '#src/domain/partners/managed-partners.ts';
import { dayOf } from '#src/lib/calendar.ts';
import { chargeStepOf } from '#src/lib/currency.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { percentOf } from '#src/lib/money.ts';
import { aggregateAll } from '#test/support/factories/analytics.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { type BookedOrder, type Books, readBooks, sum } from '#test/support/money-books.ts';
import { MoneyStore } from '#test/support/money-store.ts';
import { type Random, seededRandom } from '#test/support/random.ts';
import { atMost, brokenRules, equal, named } from '#test/support/rules.ts';
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

/** What the rules need to know of the steps before. */
interface Past {
  /** After the last steps whose jobs were run. */
  books: Books | undefined;
  /** Whether several steps were taken before their jobs were run. */
  isHurried: boolean;
  /** Orders whose items went back into stock. */
  readonly restocked: Set<string>;
  /** Orders that got less stock than they were paid for. */
  readonly oversold: Set<string>;
}

type Rule = (books: Books, store: MoneyStore, past: Past) => void | Promise<void>;

/** A rule about each order that was paid. */
const ofPaid =
  (rule: (order: BookedOrder, store: MoneyStore) => void): Rule =>
  ({ orders }, store) => {
    for (const order of orders.filter(({ isPaid }) => isPaid)) named(order.number, () => rule(order, store));
  };

/** What holds after each step. */
const rules: Readonly<Record<string, Rule>> = {
  "an order's total is its items less discount and gift card, with shipping and tax": ofPaid((order) => {
    equal(sum(order.items.map(({ total }) => total)), order.subtotal - order.discount);
    equal(order.total, order.subtotal - order.discount - order.giftCard + order.shipping + order.tax);
  }),

  'the provider collected the total, gave back what counts as refunded, and each payment is of one order': (books) => {
    const paid = books.orders.filter(({ isPaid }) => isPaid);
    for (const { number, total, refunded, atProvider } of paid) {
      named(number, () => equal([total, refunded], [atProvider.collected, atProvider.refunded]));
    }
    for (const { number, refunded } of books.orders.filter(({ isPaid }) => !isPaid))
      named(number, () => equal(refunded, 0));
    equal(paid.flatMap(({ atProvider: { chargeId } }) => chargeId ?? []).toSorted(), [...books.charges].toSorted());
  },

  'never more is given back than was paid, to the shopper and to the card': ofPaid((order) => {
    atMost(order.refunded, order.total);
    atMost(order.card.returned, order.card.paid);
    // A card that was spent elsewhere when the payment came pays nothing.
    equal(order.card.paid, order.attentions.includes('gift_card_spent') ? 0 : order.giftCard);
  }),

  'refunded is an order of which everything was given back, and paid one of which no money was': ofPaid((order) => {
    equal(order.paymentStatus, order.status);
    const given = order.refunded + order.card.returned;
    const isAllGiven = given === order.total + order.card.paid;
    if (order.status === 'paid') equal(order.refunded, 0);
    if (order.status === 'partially_refunded') equal([given > 0, isAllGiven], [true, false]);
    if (order.status === 'refunded' || (isAllGiven && given > 0)) equal([order.status, isAllGiven], ['refunded', true]);
  }),

  'each refund is of an amount that can be charged, and moved it once, or the order says that it did not': ofPaid(
    ({ refunds, attentions, atProvider }, { currency }) => {
      for (const { id, state, amount } of refunds.filter((refund) => refund.amount > 0)) {
        const made = atProvider.refunds.filter(({ refundId }) => refundId === id);
        const expected = { sent: [[amount, 'succeeded']], failed: [[amount, 'failed']], refused: [] }[state];
        equal(
          made.map((each) => [each.amount, each.status]),
          expected,
        );
        equal(amount % chargeStepOf(currency), 0);
      }
      if (refunds.at(-1)?.state === 'refused') equal(attentions.includes('refund_failed'), true);
    },
  ),

  'open and lost disputes flag the order': ofPaid(({ attentions, atProvider }) => {
    equal(attentions.includes('disputed'), atProvider.isDisputed);
    equal(attentions.includes('dispute_lost'), atProvider.lost > 0);
  }),

  'the journal has what the provider and the gift card moved for an order': ofPaid(({ journal, card, atProvider }) => {
    const entry = (account: string) => journal[account] ?? 0;
    equal(entry('payments'), atProvider.collected);
    equal(entry('refunds'), -atProvider.refunded);
    equal(entry('disputes'), -atProvider.lost);
    equal(entry('gift_cards_redeemed'), -card.paid);
    equal(entry('gift_cards_returned'), card.returned);
    const parts = ['sales', 'discounts', 'shipping', 'tax', 'gift_cards_redeemed', 'adjustments'];
    equal(sum(parts.map(entry)), entry('payments'));
  }),

  'no entry is added to a day of the journal that is over, or changed': ({ days }, _store, { books: before }) => {
    if (!before) return;
    const over = (of: Books['days']) => [...of].filter(([day]) => day < before.today).toSorted();
    equal(over(days), over(before.days));
  },

  'a gift card has what it was issued with, less what it paid, and what it got back': ({ cards, ...books }, store) => {
    for (const { id, balance, held } of cards) {
      equal(held, books.holds.get(id) ?? 0);
      atMost(0, held);
      atMost(held, balance);
    }
    const paid = sum(books.orders.map(({ card }) => card.paid - card.returned));
    const owed = sum(cards.map(({ balance }) => balance));
    equal(owed, sum(store.cards.map(({ issuedCents }) => issuedCents)) - paid);
    const accounts = ['gift_cards_issued', 'gift_cards_redeemed', 'gift_cards_returned'];
    equal(owed, sum(accounts.map((account) => books.accounts[account] ?? 0)));
  },

  'a variant has what the owner stocked, less what was sold, and what was restocked': (books, store, past) => {
    const sold = books.orders.filter(({ id, isPaid }) => isPaid && !past.restocked.has(id));
    for (const { id, stock, held, ledger } of books.variants) {
      equal(stock, ledger);
      equal(held, books.holds.get(id) ?? 0);
      atMost(0, stock);
      const lines = (orders: readonly BookedOrder[]) =>
        orders.flatMap(({ items }) => items.filter(({ variantId }) => variantId === id));
      if (lines(books.orders.filter((order) => past.oversold.has(order.id))).length > 0) continue;
      equal(stock, (store.stocked.get(id) ?? 0) - sum(lines(sold).map(({ quantity }) => quantity)));
    }
  },

  'a promo code was used by the paid orders that have it, and is held by open checkouts': (books) => {
    for (const { code, used, held } of books.promos) {
      const orders = books.orders.filter(({ isPaid, promoCode }) => isPaid && promoCode === code);
      named(code, () => equal([used, held], [orders.length, books.holds.get(code) ?? 0]));
    }
  },

  'a partner earns on what was paid for goods and neither given back nor lost': async (books, store) => {
    const earned = books.orders.map(
      ({ isPaid, partnerCode, subtotal, discount, total, card, refunded, atProvider }) => {
        const paid = total + card.paid;
        if (!isPaid || !partnerCode || paid === 0) return 0;
        const lost = Math.min(refunded + card.returned + atProvider.lost, paid);
        return Math.round((percentOf(subtotal - discount, 7.5) * (paid - lost)) / paid);
      },
    );
    equal((await readPartner(store.ctx, store.partnerCode))?.commissionCents, sum(earned));
  },

  'returns give back what was paid for the goods, and together all of it': ofPaid((order, store) => {
    const made = order.returns.filter(({ status }) => ['refunded', 'closed'].includes(status));
    const { refunds, atProvider } = order;
    const isByReturns = refunds.every(({ returnId, state }) => returnId !== null && state === 'sent');
    const isByDefault = made.every(({ id }) => store.returnedByDefault.has(id));
    if (made.length === 0 || !isByReturns || !isByDefault || atProvider.refunds.length > refunds.length) return;
    const pieces = made.flatMap(({ items }) => items);
    const returned = order.items.map(({ id, quantity, total }) => {
      const count = sum(pieces.filter((piece) => piece.id === id).map((piece) => piece.quantity));
      return { isAll: count === quantity, price: (total * count) / quantity };
    });
    const paidForGoods = order.total + order.card.paid - order.shipping;
    const due = (sum(returned.map(({ price }) => price)) * paidForGoods) / (order.subtotal - order.discount || 1);
    const given = order.refunded + order.card.returned;
    if (returned.every(({ isAll }) => isAll)) equal(given, paidForGoods);
    else atMost(Math.abs(given - due), chargeStepOf(store.currency));
  }),

  'order.paid is sent once, and order.refunded once for each change of what was refunded': (
    { orders },
    _store,
    past,
  ) => {
    const count = ({ events }: BookedOrder, type: string) => events.filter((event) => event === type).length;
    for (const order of orders) {
      named(order.number, () => equal(count(order, 'order.paid'), order.isPaid ? 1 : 0));
      const before = past.books?.orders.find(({ id }) => id === order.id);
      if (!before?.isPaid || past.isHurried) continue;
      // Where no money is left, what the card gets back is a refund of its own.
      const isMoney = order.refunded > before.refunded;
      const isOnCard = order.refunded === order.total && order.card.returned > before.card.returned;
      const isFree = order.total + order.card.paid === 0 && order.status !== before.status;
      const sent = count(order, 'order.refunded') - count(before, 'order.refunded');
      named(order.number, () => equal(sent, isMoney || isOnCard || isFree ? 1 : 0));
    }
  },

  'labels cost what the carrier was paid and has not refunded': ({ accounts }, { ctx }) => {
    const bought = labels.of(ctx.tenant.id).bought();
    equal((accounts['label_costs'] ?? 0) + (accounts['label_refunds'] ?? 0), -842 * bought.length);
  },
};

/** What is compared once, at the end of a sequence. */
const rulesOfTheEnd: Readonly<Record<string, Rule>> = {
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
    if (error instanceof Error && error.message.startsWith('Stripe simulator')) return 'rejected by the provider';
    throw error;
  }
}

function updatePast(past: Past, { orders }: Books): void {
  for (const { id, status, isShipped, attentions } of orders) {
    if (status === 'refunded' && !isShipped) past.restocked.add(id);
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

  async function check(rules: Readonly<Record<string, Rule>>): Promise<void> {
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
  t.timeout(minutes(1) * Math.max(3, sequences));
  for (let seed = first; seed < first + sequences; seed += 1) {
    await t.notThrowsAsync(play(t.context, currencies[seed % currencies.length] ?? 'USD', seed, length));
  }
});

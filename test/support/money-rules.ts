import { read } from '#src/database/transact.ts';
import { readPartner } from '#src/domain/partners/managed-partners.ts';
import { chargeStepOf } from '#src/lib/currency.ts';
import { percentOf } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import { type AuditedStore, type BookedOrder, type Books, sum } from './money-books.ts';
import { atMost, brokenRules, equal, named } from './rules.ts';

/* The rules of money: what holds of every store, whatever happened to its orders. */

/** What the rules need to know of the steps before. */
export interface Past {
  /** After the last steps whose jobs were run. */
  books: Books | undefined;
  /** Whether several steps were taken before their jobs were run. */
  isHurried: boolean;
  /** Orders whose items went back into stock. */
  readonly restocked: Set<string>;
  /** Orders that got less stock than they were paid for. */
  readonly oversold: Set<string>;
}

export type Rule = (books: Books, store: AuditedStore, past: Past) => void | Promise<void>;

/** A rule about each order that was paid. */
const ofPaid =
  (rule: (order: BookedOrder, store: AuditedStore) => void): Rule =>
  ({ orders }, store) => {
    for (const order of orders.filter(({ isPaid }) => isPaid)) named(order.number, () => rule(order, store));
  };

/** What holds whenever no job is due. */
export const moneyRules: Readonly<Record<string, Rule>> = {
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

  'open and lost disputes flag the order, which shows them': ofPaid(({ attentions, disputeStatus, atProvider }) => {
    equal(attentions.includes('disputed'), atProvider.isDisputed);
    equal(disputeStatus === 'open', atProvider.isDisputed);
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
    for (const { id, stock, held, ledger, backorder } of books.variants) {
      equal(stock, ledger);
      equal(held, books.holds.get(id) ?? 0);
      if (!backorder) atMost(0, stock);
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
      ({ isPaid, partnerCode, subtotal, discount, total, shipping, card, refunds, refunded, atProvider }) => {
        const goods = total - shipping + card.paid;
        if (!isPaid || !partnerCode || goods === 0) return 0;
        const isShipping = refunds.some(
          ({ amount, returnId, state }) => amount === shipping && returnId === null && state === 'sent',
        );
        const reversed = refunded + card.returned + atProvider.lost - (isShipping ? shipping : 0);
        const lost = Math.min(Math.max(reversed, 0), goods);
        return Math.round((percentOf(subtotal - discount, 7.5) * (goods - lost)) / goods);
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
};

/** The rules that these books break, of a store whose steps are not known. */
export async function brokenMoneyRules(books: Books, store: AuditedStore): Promise<string[]> {
  const { ctx } = store;
  const restocked = await read<{ id: string }>(
    ctx,
    sql`
    select distinct order_id as id from stock_movements where tenant_id = ${ctx.tenant.id} and reason = 'restocked'`,
  );
  const oversold = books.orders.filter(({ attentions }) => attentions.includes('oversold'));
  return brokenRules(moneyRules, books, store, {
    books: undefined,
    isHurried: false,
    restocked: new Set(restocked.map(({ id }) => id)),
    oversold: new Set(oversold.map(({ id }) => id)),
  });
}

import { read, transact } from '#src/database/transact.ts';
import type { AccountReport, Row, StripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { saveStock } from '#src/domain/catalog/index.ts';
import { createCheckoutSession, createGiftCheckout } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { manageSubscription, requestRefund } from '#src/domain/payments/index.ts';
import { disableGiftCard, saveGiftCard } from '#src/domain/promotions/index.ts';
import * as returns from '#src/domain/returns/index.ts';
import { markFulfilled } from '#src/domain/shipping/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { chargeStepOf } from '#src/lib/currency.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { handledEventTypes } from '#src/providers/stripe/events.ts';
import { type BuiltProduct, buildProduct } from './factories/catalog.ts';
import { buildPartner } from './factories/partners.ts';
import { buildPaymentAccount } from './factories/payments.ts';
import { buildPromo } from './factories/promotions.ts';
import { buildShippingAccount } from './factories/shipping.ts';
import type { AuditedStore } from './money-books.ts';
import type { Random } from './random.ts';
import { runJobs } from './run-jobs.ts';
import { buildTenant } from './tenant.ts';
import { type StripeContext, shopper } from './use-stripe.ts';

/** An object of the payment provider, with its fields as Stripe names them. */
type Found = Row & Record<string, any>;

/** A gift card of the store, and what it was issued with: a balance that the owner sets later counts, too. */
export interface IssuedCard {
  readonly id: string;
  readonly code: string;
  issuedCents: number;
}

/** A step that was possible, as it is printed; `undefined` where nothing was there to be done. */
type Step = Promise<string | undefined>;

/**
 * A store that sells, with the real Stripe SDK and a simulator, and everything that its shoppers, its owner, the payment
 * provider and the shoppers' banks do to its money. `random` decides what, and to which order.
 */
export class MoneyStore implements AuditedStore {
  readonly ctx: Context;
  readonly currency: string;
  readonly openedAt: Date;
  readonly cards: IssuedCard[] = [];
  /** The quantity of each variant that the owner put on the shelf. */
  readonly stocked = new Map<string, number>();
  /** The returns that were refunded without a given amount. */
  readonly returnedByDefault = new Set<string>();
  partnerCode = '';
  private readonly test: StripeContext;
  private readonly random: Random;
  private readonly secretKey = `sk_test_${randomText(24)}`;
  private readonly stripe: StripeControl;
  private products: BuiltProduct[] = [];
  private promoCodes: string[] = [];

  private constructor(test: StripeContext, ctx: Context, random: Random) {
    this.test = test;
    this.ctx = ctx;
    this.random = random;
    this.stripe = test.stripe;
    this.currency = ctx.tenant.currency;
    this.openedAt = test.clock.now();
  }

  /** A store with something to sell, promo codes, a partner and gift cards. */
  static async open(test: StripeContext, currency: string, random: Random): Promise<MoneyStore> {
    const tenant = await buildTenant(test.services, { currency });
    const store = new MoneyStore(test, { ...test.services.context(), tenant }, random);
    await store.stockUp();
    return store;
  }

  private async stockUp(): Promise<void> {
    const { ctx, secretKey } = this;
    await this.stripe.deliveries({ duplicate: 0.2, reorder: true });
    const { webhookSecret: secret } = await buildPaymentAccount(ctx, { secret_key: secretKey });
    const url = `${this.test.api.url}/api/webhooks/stripe/${ctx.tenant.slug}`;
    await this.stripe.addWebhookEndpoint(secretKey, { url, secret, events: handledEventTypes });
    await buildShippingAccount(ctx, {
      options: [
        { name: 'Standard', amount_cents: this.money(599), free_over_cents: this.money(7500) },
        { name: 'Express', amount_cents: this.money(1499) },
      ],
    });
    const variants = [
      { price_cents: 1999, stock: 5 },
      { price_cents: 333, stock: 40, ships: false },
      { price_cents: 707, stock: 7 },
    ];
    for (const variant of variants) {
      const price_cents = this.money(variant.price_cents);
      this.products.push(await buildProduct(ctx, { variants: [{ ...variant, price_cents }] }));
      this.stocked.set(this.products.at(-1)?.variant.id ?? '', variant.stock);
    }
    const coffee = await buildProduct(ctx, {
      purchase_types: ['subscription'],
      subscription_intervals: ['month', 'quarter'],
      variants: [{ price_cents: this.money(2500), subscription_price_cents: this.money(2201), stock: 12 }],
    });
    this.products.push(coffee);
    this.stocked.set(coffee.variant.id, 12);
    // What owners enter may be more than can be charged of it: a króna and 99 hundredths.
    const rest = chargeStepOf(this.currency) - 1;
    const codes = [
      buildPromo(ctx, { value: 15 }),
      buildPromo(ctx, { type: 'fixed', value_cents: this.money(400) + rest, usage_limit: 2, per_customer_limit: 1 }),
      buildPromo(ctx, { type: 'free_shipping' }),
    ];
    this.promoCodes = (await Promise.all(codes)).map(({ code }) => code);
    this.partnerCode = (await buildPartner(ctx, { commission_percent: 7.5, discount_percent: 5 })).code;
    for (const cents of [1500, 2003, 3701]) await this.issueCard(this.money(cents) + rest);
  }

  /** An amount that the payment provider can charge in this currency. */
  private money(cents: number): number {
    return cents * chargeStepOf(this.currency);
  }

  private someMoney(cents: number): number {
    return this.money(1 + this.random.below(cents));
  }

  now(): Date {
    return this.test.clock.now();
  }

  /** Everything that the payment provider knows. */
  async provider(): Promise<AccountReport> {
    return this.stripe.account(this.secretKey);
  }

  /** Deliver what the provider reports, and run the jobs that are due. */
  async settle(): Promise<void> {
    await this.runJobs();
    const pending = await read(
      this.ctx,
      sql`select 1 from payment_events where tenant_id = ${this.ctx.tenant.id} and state = 'pending' limit 1`,
    );
    if (pending.length === 0) return;
    // An event that is read before that of its order's payment waits for a minute.
    this.test.clock.pass(minutes(1));
    await this.runJobs();
  }

  private async runJobs(): Promise<void> {
    if (!(await this.stripe.idle())) throw new Error('Webhooks are stuck.');
    const outcomes = await runJobs(this.test.services);
    // Canceled is what needs an operator, such as a label of an oversold order.
    const failed = outcomes.filter((outcome) => !/: (done|cancel)\b/.test(outcome));
    if (failed.length > 0) throw new Error(failed.join('\n'));
  }

  private some<Value>(values: readonly Value[]): Value | undefined {
    return values.length > 0 ? this.random.pick(values) : undefined;
  }

  private async someOf(kind: 'charges' | 'refunds' | 'disputes' | 'subscriptions', status: string) {
    const found: readonly Found[] = (await this.provider())[kind];
    return this.some(found.filter((each) => each['status'] === status));
  }

  private async somePaidOrder() {
    return this.some(
      await read<{ id: string; orderNumber: string; email: string | null; shippingCents: number }>(
        this.ctx,
        sql`
        select id, order_number as "orderNumber", email, shipping_cents as "shippingCents" from orders
        where tenant_id = ${this.ctx.tenant.id} and paid_at is not null order by number`,
      ),
    );
  }

  /** A shopper fills in a checkout, with an email or as a guest. */
  async checkout(): Step {
    const { random } = this;
    const chosen = this.products.slice(0, 3).filter(() => random.chance(0.5));
    const coffee = random.chance(0.15) ? this.products.slice(3) : [];
    const items = [...chosen, ...coffee].map((product) => ({
      product_slug: product.slug,
      variant_id: product.variant.id,
      quantity: 1 + random.below(3),
      ...(coffee.includes(product) && { purchase_type: 'subscription' as const, subscription_interval: 'month' }),
    }));
    if (items.length === 0) return undefined;
    const input = {
      items,
      customer_email: random.pick([null, 'ada@example.com', 'bob@example.com']),
      promo_code: random.chance(0.4) ? random.pick(this.promoCodes) : null,
      partner_code: random.chance(0.4) ? this.partnerCode : null,
      gift_card_code: random.chance(0.5) ? random.pick(this.cards).code : null,
    };
    await createCheckoutSession(this.ctx, input);
    return `checkout of ${items.map(({ quantity }) => quantity).join(' + ')} pieces`;
  }

  /** Some months of a subscription as a gift, paid at once. */
  async giveCoffee(): Step {
    const [coffee] = this.products.slice(3);
    const months = 1 + this.random.below(3);
    await createGiftCheckout(this.ctx, {
      product_slug: coffee?.slug ?? '',
      variant_id: coffee?.variant.id ?? '',
      months,
      recipient_email: 'grace@example.com',
    });
    return `gift of ${months} months, ${await this.pay()}`;
  }

  private async openSession(): Promise<Found | undefined> {
    const sessions: readonly Found[] = (await this.provider()).sessions;
    return sessions.findLast(({ status }) => status === 'open');
  }

  /** The shopper of the newest checkout pays, perhaps by a slow debit. */
  async pay(): Step {
    const session = await this.openSession();
    if (!session) return undefined;
    const { random } = this;
    const outcome = random.pick(['paid', 'paid', 'paid', 'paid', 'processing', 'declined'] as const);
    const options = session['shipping_options'].length;
    const isTaxed =
      session['mode'] === 'payment' && session['amount_subtotal'] > session['total_details'].amount_discount;
    await this.stripe.pay(session.id, {
      ...shopper,
      outcome,
      ...(options > 0 && { shipping_option: random.below(options) }),
      ...(isTaxed && { tax: this.money(random.pick([0, 97, 233])) }),
    });
    return `payment: ${outcome}`;
  }

  async buy(): Step {
    const checkout = await this.checkout();
    return checkout && `${checkout}, ${await this.pay()}`;
  }

  /** A slow debit arrives or fails. */
  async endDebit(): Step {
    const sessions: readonly Found[] = (await this.provider()).sessions;
    const waiting = sessions.filter((each) => each['status'] === 'complete' && each['payment_status'] === 'unpaid');
    const session = this.some(waiting);
    if (!session) return undefined;
    const outcome = this.random.pick(['succeeded', 'failed'] as const);
    await this.stripe.settle(session.id, outcome);
    return `debit: ${outcome}`;
  }

  async expire(): Step {
    const session = await this.openSession();
    return session && `${(await this.stripe.expire(session.id)).object} expires`;
  }

  /** The owner refunds an amount, the shipping or what is left. */
  async refund(): Step {
    const order = await this.somePaidOrder();
    if (!order) return undefined;
    const part = this.random.chance(0.5) ? order.shippingCents : this.someMoney(2500);
    const amountCents = this.random.chance(0.5) && part > 0 ? part : undefined;
    await requestRefund(this.ctx, { orderId: order.id, amountCents, isNamed: true });
    return `refund of ${amountCents ?? 'the rest'} of ${order.orderNumber}`;
  }

  /** The owner refunds in the provider's dashboard. */
  async refundInDashboard(): Step {
    const charge = await this.someOf('charges', 'succeeded');
    if (!charge) return undefined;
    const amount = this.random.chance(0.5) ? this.someMoney(2500) : undefined;
    await this.stripe.refund(charge.id, amount);
    return `refund of ${amount ?? 'the rest'} of ${charge.id} in the dashboard`;
  }

  /** The shopper's bank sends a refund back. */
  async failRefund(): Step {
    const refund = await this.someOf('refunds', 'succeeded');
    return refund && `refund of ${refund['amount']} is ${(await this.stripe.failRefund(refund.id))['status']}`;
  }

  async openDispute(): Step {
    const charge = await this.someOf('charges', 'succeeded');
    if (!charge) return undefined;
    const amount = this.random.chance(0.5) ? this.someMoney(2500) : undefined;
    await this.stripe.openDispute(charge.id, undefined, amount);
    return `dispute about ${amount ?? 'the rest'} of ${charge.id}`;
  }

  async closeDispute(): Step {
    const dispute = await this.someOf('disputes', 'needs_response');
    if (!dispute) return undefined;
    const outcome = this.random.pick(['won', 'lost'] as const);
    await this.stripe.closeDispute(dispute.id, outcome);
    return `dispute about ${dispute['charge']}: ${outcome}`;
  }

  /** A shopper asks to return some pieces of an order. */
  async requestReturn(): Step {
    const order = await this.somePaidOrder();
    if (!order?.email) return undefined;
    const items = await read<{ id: string; left: number }>(
      this.ctx,
      sql`
      select id, quantity - returned_quantity as left from order_items
      where tenant_id = ${this.ctx.tenant.id} and order_id = ${order.id} order by position`,
    );
    const wanted = items
      .map(({ id, left }) => ({ order_item_id: id, quantity: Math.min(left, this.random.below(3)) }))
      .filter(({ quantity }) => quantity > 0);
    if (wanted.length === 0) return undefined;
    await returns.requestReturn(this.ctx, { orderNumber: order.orderNumber, email: order.email, items: wanted });
    return `return of ${wanted.map(({ quantity }) => quantity).join(' + ')} pieces of ${order.orderNumber}`;
  }

  /** The owner decides about a return: mostly what leads to its refund, of what was paid, another amount or nothing. */
  async decideReturn(): Step {
    const { ctx, random } = this;
    const open = await read<{ id: string; status: 'requested' | 'approved' | 'received' }>(
      ctx,
      sql`
      select id, status from returns
      where tenant_id = ${ctx.tenant.id} and status in ('requested', 'approved', 'received') order by number`,
    );
    const found = this.some(open);
    if (!found) return undefined;
    const returnId = found.id;
    const moved = (what: string) => `return ${returnId}: ${what}`;
    if (random.chance(0.1)) {
      const { status } = await (found.status === 'requested' ? returns.rejectReturn : returns.closeReturn)(ctx, {
        returnId,
      });
      return moved(status);
    }
    if (found.status === 'requested') await returns.approveReturn(ctx, { returnId });
    if (random.chance(0.2)) return moved('approved');
    if (found.status !== 'received') await returns.receiveReturn(ctx, { returnId });
    if (random.chance(0.2)) return moved('received');
    const amountCents = random.chance(0.7) ? undefined : random.chance(0.5) ? this.someMoney(3000) : 0;
    await returns.refundReturn(ctx, { returnId, amountCents });
    if (amountCents === undefined) this.returnedByDefault.add(returnId);
    return moved(`refunded ${amountCents ?? 'what was paid'}`);
  }

  async ship(): Step {
    const order = await this.somePaidOrder();
    if (!order) return undefined;
    await markFulfilled(this.ctx, { orderId: order.id });
    return `${order.orderNumber} is shipped`;
  }

  async issueCard(cents = this.someMoney(4000)): Step {
    const code = randomText(16).toUpperCase();
    const { id } = await transact(this.ctx, (ctx) => saveGiftCard(ctx, { code, balance_cents: cents }));
    this.cards.push({ id, code, issuedCents: cents });
    return `gift card of ${cents}`;
  }

  /** The owner applies a store file with another balance. Open checkouts keep what they hold. */
  async setBalance(): Step {
    const card = this.random.pick(this.cards);
    const before = await this.balanceOf(card);
    const cents = this.someMoney(4000);
    const input = { code: card.code, balance_cents: cents };
    await transact(this.ctx, (ctx) => saveGiftCard(ctx, input, { setBalance: true }));
    card.issuedCents += (await this.balanceOf(card)) - before;
    return `gift card ${card.id} is set to ${cents}`;
  }

  private async balanceOf({ id }: IssuedCard): Promise<number> {
    const [card] = await read<{ cents: number }>(
      this.ctx,
      sql`select balance_cents as cents from gift_cards where tenant_id = ${this.ctx.tenant.id} and id = ${id}`,
    );
    return card?.cents ?? 0;
  }

  async disableCard(): Step {
    const { id } = this.random.pick(this.cards);
    await transact(this.ctx, (ctx) => disableGiftCard(ctx, { giftCardId: id }));
    return `gift card ${id} is disabled`;
  }

  /** A period of a subscription ends whose first one was paid. */
  async renew(): Step {
    const live = await read<{ id: string }>(
      this.ctx,
      sql`
      select distinct s.payment_subscription_id as id
      from subscriptions s join orders o on o.tenant_id = ${this.ctx.tenant.id} and o.id = s.order_id
      where s.tenant_id = ${this.ctx.tenant.id} and s.status = 'active' and o.paid_at is not null order by 1`,
    );
    const subscription = this.some(live);
    if (!subscription) return undefined;
    const outcome = this.random.pick(['paid', 'paid', 'failed'] as const);
    await this.stripe.renew(subscription.id, outcome);
    return `renewal of ${subscription.id}: ${outcome}`;
  }

  async manageSubscription(): Step {
    const subscriptions = await read<{ id: string }>(
      this.ctx,
      sql`select id from subscriptions where tenant_id = ${this.ctx.tenant.id} order by id`,
    );
    const subscription = this.some(subscriptions);
    if (!subscription) return undefined;
    const input = this.random.pick([
      { action: 'pause' as const },
      { action: 'resume' as const },
      { action: 'cancel' as const },
      { action: 'change_interval' as const, subscription_interval: 'quarter' as const },
    ]);
    await manageSubscription(this.ctx, subscription.id, input);
    return `subscription ${subscription.id}: ${input.action}`;
  }

  /** The owner counts the stock again. */
  async changeStock(): Step {
    const { variant } = this.random.pick(this.products);
    const change = this.random.below(8) - 3;
    await saveStock(this.ctx, { items: [{ variant_id: variant.id, change }] });
    this.stocked.set(variant.id, (this.stocked.get(variant.id) ?? 0) + change);
    return `stock of ${variant.sku} changes by ${change}`;
  }

  /** Long enough for sessions, days and the holds of slow debits to end. */
  async passTime(): Step {
    await this.settle();
    const time = this.random.pick([hours(2), days(1), days(1), days(15)]);
    this.test.clock.pass(time);
    return `${time / hours(1)} hours pass`;
  }
}

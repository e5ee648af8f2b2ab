import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { type CheckoutInput, createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { lockOrder } from '#src/domain/orders/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { type BuiltProduct, buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildPaymentAccount, holdsOf, orderOf, ordersOf } from '#test/support/factories/payments.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<TestContext>;
const payments = fakePaymentGateway();
useContext(test, { ports: { payments } });

test.beforeEach(() => payments.sessions.clear());

const buy = (ctx: Context, product: BuiltProduct, more: Partial<CheckoutInput> = {}) =>
  createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }], ...more });

async function errorOf(t: ExecutionContext, work: Promise<unknown>): Promise<DomainError | undefined> {
  return t.throwsAsync(work, { instanceOf: DomainError });
}

/** Let calls of one kind wait at the provider until they are let go; `arrived` when the first has come. */
function heldUp(kind: string) {
  const [arrived, releaseHeldLabel] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  payments.meanwhile = async (call) => {
    if (call !== kind) return;
    payments.meanwhile = undefined;
    arrived.resolve();
    await releaseHeldLabel.promise;
  };
  return { arrived: arrived.promise, releaseHeldLabel: releaseHeldLabel.resolve };
}

const openAtProvider = () =>
  [...payments.sessions.values()].filter(({ state }) => state === 'open').map(({ orderId }) => orderId);

test.serial('a request without a response does not block the next one, and its session is closed', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx, { variants: [{ stock: 1 }] });
  const cart = { cart_id: newId('cart') };
  payments.misfortunes.createSession = [{ failure: 'away', after: true }];
  t.is((await errorOf(t, buy(ctx, product, cart)))?.code, 'payment_provider_unavailable');
  const [first] = await ordersOf(ctx);

  const second = await buy(ctx, product, cart);
  t.like(await orderOf(ctx, first?.id ?? ''), { status: 'expired' });
  t.deepEqual(await holdsOf(ctx, first?.id ?? ''), ['stock: released']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 1, held: 1 });
  clock.pass(31_000);
  await runJobs(services);
  t.deepEqual(openAtProvider(), [second.order_id]);
});

test.serial('a session that is opened after the shopper requested another one is not returned', async (t) => {
  const { ctx, services } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const order = { items: [{ product_slug: product.slug, quantity: 1 }], customer_email: 'ada@example.com' };
  const slow = heldUp('createSession');
  const first = createCheckoutSession(ctx, order, { requestKey: 'first' });
  await slow.arrived;
  const second = await createCheckoutSession(ctx, order, { requestKey: 'second' });
  slow.releaseHeldLabel();
  t.like(await errorOf(t, first), { code: 'payment_provider_unavailable', retryAfterSeconds: 5 });

  const again = await createCheckoutSession(ctx, order, { requestKey: 'first' });
  t.not(
    again.order_id,
    payments.sessions.values().next().value?.orderId,
    'the same request asked again is a new click',
  );
  t.like(await orderOf(ctx, second.order_id), { status: 'expired' });
  await runJobs(services);
  t.deepEqual(openAtProvider(), [again.order_id]);
});

test.serial('a session that is opened while it is superseded is closed first', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const cart = { cart_id: newId('cart') };
  const slow = heldUp('createSession');
  const first = buy(ctx, product, cart);
  await slow.arrived;
  const [order] = await ordersOf(ctx);
  const { second } = await transact(ctx, async (held) => {
    await lockOrder(held, order?.id ?? '');
    const second = buy(ctx, product, cart);
    await until(() => waitsForLock(ctx), { what: 'the second to come so far' });
    slow.releaseHeldLabel();
    await first;
    return { second };
  });
  const { order_id: orderId } = await second;
  t.deepEqual(openAtProvider(), [orderId]);
  t.like(await orderOf(ctx, order?.id ?? ''), { status: 'expired' });
});

async function waitsForLock({ database }: Context): Promise<boolean> {
  const { rowCount } = await database.pool.query(`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return rowCount !== 0;
}

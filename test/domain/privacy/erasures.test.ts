import anyTest, { type TestFn } from 'ava';
import { read, readOne, transact } from '#src/database/transact.ts';
import { readOpenBusiness, resendReceipt } from '#src/domain/backoffice/index.ts';
import { createCart, isUnsubscribed, unsubscribe } from '#src/domain/cart/index.ts';
import type { Context } from '#src/domain/context.ts';
import { joinWaitlist } from '#src/domain/leads/index.ts';
import { continueErasure, type EraseOptions } from '#src/domain/privacy/erase-personal-data.ts';
import type { Erasure } from '#src/domain/privacy/erasure.ts';
import {
  eraseDataSubject,
  erasePersonalData,
  exportPersonalData,
  readErasure,
  requestErasure,
  runErasure,
} from '#src/domain/privacy/index.ts';
import { approveReturn, closeReturn, receiveReturn, rejectReturn, requestReturn } from '#src/domain/returns/index.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { dieAt } from '#test/support/die-at.ts';
import { aggregateAll, sendEvents } from '#test/support/factories/analytics.ts';
import { buildSavedCart, unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildReturnableOrder } from '#test/support/factories/returns.ts';
import { interceptStatements } from '#test/support/intercept-statements.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const email = 'ada@quill.example';
/** So that each of a few orders is in another batch than most others. */
const bounds = { rows: 2, orders: 2 };

const set = (ctx: Context, assignment: ReturnType<typeof sql>) =>
  transact(ctx, ({ tx }) => tx.execute(sql`update ${assignment} where tenant_id = ${ctx.tenant.id}`));

const deliverAll = (ctx: Context) => set(ctx, sql`orders set fulfillment_status = 'delivered'`);

/** Ada, with five orders, a return of each second one, a place on a waitlist, and visits. */
async function buildAda(ctx: Context): Promise<void> {
  const { slug } = await buildProduct(ctx);
  await joinWaitlist(ctx, { email, product_slug: slug });
  for (let number = 0; number < 5; number += 1) {
    const order = await buildReturnableOrder(ctx, { email, number: 5000 + number, address: { name: 'Ada', email } });
    await deliverAll(ctx);
    await resendReceipt(ctx, order.id);
    await sendEvents(ctx, [{ type: 'page_viewed', session_id: 'one', order_id: order.id }]);
    if (number % 2 === 0) continue;
    const items = order.items.map(({ id }) => ({ order_item_id: id, quantity: 1, note: 'Too small.' }));
    const { id: returnId } = await requestReturn(ctx, { orderNumber: order.order_number, email, items });
    await rejectReturn(ctx, { returnId, note: 'Dear Ada, no.' });
  }
}

/** What is left of her and of the erasure, without ids and times. */
async function resultOf(ctx: Context): Promise<object> {
  const { held } = await exportPersonalData(ctx, { email });
  const left = await readOne(
    ctx,
    sql`
    select (select json_agg(json_build_array(email, shipping_address ->> 'email', version, total_cents) order by id)
        from orders o where o.tenant_id = ${ctx.tenant.id}) as orders,
      (select json_agg(json_build_array(r.email, r.note, i.note) order by r.id) from returns r
        join return_items i on i.tenant_id = r.tenant_id and i.return_id = r.id where r.tenant_id = ${ctx.tenant.id}) as returns,
      (select count(*)::int from mails m where m.tenant_id = ${ctx.tenant.id}) as mails,
      (select json_agg(type order by id) from events e where e.tenant_id = ${ctx.tenant.id}) as events,
      (select json_agg(json_build_array(state, email, customer_id, step) order by id) from erasures e
        where e.tenant_id = ${ctx.tenant.id}) as erasures,
      (select json_agg(json_build_array(action, after -> 'rows') order by id) from audit_log a
        where a.tenant_id = ${ctx.tenant.id} and a.action = 'person.erased') as audit`,
  );
  return { held, left };
}

test.serial('an erasure whose process is killed before any statement is continued, with the same result', async (t) => {
  const { ctx, services } = t.context;
  await buildAda(ctx);
  await aggregateAll(services);
  await erasePersonalData(ctx, { email }, { bounds });
  const expected = await resultOf(ctx);
  t.like(expected, { held: {}, left: { mails: 0, erasures: only(only<unknown>('completed', null, null, 0)) } });

  // Each further process dies one statement later than the one before it.
  const other = { ...ctx, tenant: await buildTenant(services) };
  await buildAda(other);
  await aggregateAll(services);
  let kills = 0;
  for (let step = 1; await dieAt(services, step, () => erasePersonalData(other, { email }, { bounds })); step += 1)
    kills += 1;
  t.true(kills >= 60, `${kills} kills`);
  t.deepEqual(await resultOf(other), expected);
});

test.serial('an erasure whose command is killed after its first batch is continued by a worker', async (t) => {
  const { ctx, services } = t.context;
  await buildAda(ctx);
  let step = 1;
  const found = () => readOne<{ id: string }>(ctx, sql`select id from erasures where tenant_id = ${ctx.tenant.id}`);
  while (!(await found())) {
    await dieAt(services, step, () => erasePersonalData(ctx, { email }, { bounds }));
    step += 1;
  }
  const id = (await found())?.id ?? '';
  t.is((await readErasure(ctx, id))?.state, 'running');
  await runJobs(services);
  t.like(await readErasure(ctx, id), { state: 'completed', erased: { orders: 5 } });
});

test.serial('a worker that is killed at any statement of an erasure leaves it to the next one', async (t) => {
  const { ctx, services } = t.context;
  await buildAda(ctx);
  await aggregateAll(services);
  const id = await requestErasure(ctx, { email });
  let kills = 0;
  const runKilled = async () => {
    for (let step = 1; await dieAt(services, step, () => runJobs(services)); step += 5) {
      kills += 1;
      await services.execute(sql`
        update outbox set starts = 0, relays = 0, next_relay_at = ${services.clock.now()} where finished_at is null`);
    }
  };
  await runKilled();
  t.like(await readErasure(ctx, id), { state: 'previewed', found: { orders: 5, returns: 2, waitlist_entries: 1 } });
  await runErasure(ctx, { id });
  await runKilled();
  t.true(kills >= 20, `${kills} kills`);
  t.like(await readErasure(ctx, id), { state: 'completed', email: null, erased: { orders: 5, returns: 2 } });
  t.deepEqual((await exportPersonalData(ctx, { email })).held, {});
});

async function startErasure(t: {
  context: TestContext;
}): Promise<{ id: string; next(options?: EraseOptions): Promise<string>; now(): Promise<Erasure | undefined> }> {
  const { ctx, services } = t.context;
  const id = await requestErasure(ctx, { email });
  await runJobs(services);
  await runErasure(ctx, { id });
  return {
    id,
    next: (options) => transact(ctx, (ctx) => continueErasure(ctx, id, { bounds, ...options })),
    now: () => readErasure(ctx, id),
  };
}

test.serial(
  'an order that begins while a person is erased stays whole, and blocks the rest until it is sent',
  async (t) => {
    const { ctx, services } = t.context;
    await buildAda(ctx);
    await aggregateAll(services);
    const { next, now } = await startErasure(t);
    t.is(await next(), 'more');
    t.is(await next(), 'more');
    const { id, orderNumber } = await buildPaidOrder(ctx, { email, number: 6000, address: { name: 'Ada', email } });
    await resendReceipt(ctx, id);
    while ((await next()) === 'more');
    await sendEvents(ctx, [{ type: 'page_viewed', session_id: 'two', order_id: id }]);
    await aggregateAll(services);
    t.like(await now(), { state: 'blocked', blockers: only(`${orderNumber} was not sent yet: send it or refund it`) });
    const own = async () =>
      readOne(
        ctx,
        sql`
      select (select count(*)::int from mails where tenant_id = ${ctx.tenant.id} and subject_id = ${id}) as mails,
        (select json_build_array(email, shipping_address ->> 'name') from orders where id = ${id}) as "order",
        (select count(*)::int from analytics_events
          where tenant_id = ${ctx.tenant.id} and session_id is not null) as visits`,
      );
    t.deepEqual(await own(), { mails: 1, order: [email, 'Ada'], visits: 1 });

    await deliverAll(ctx);
    const erasure = await now();
    await runErasure(ctx, { id: erasure?.id ?? '' });
    let outcome = await next();
    while (outcome === 'more') outcome = await next();
    t.is(outcome, 'ended');
    t.deepEqual(await own(), { mails: 0, order: [null, null], visits: 0 });
    t.like(await now(), { state: 'completed', erased: { orders: 6 } });
    t.deepEqual((await exportPersonalData(ctx, { email })).held, {});
  },
);

test.serial('what is complete when it arrives while a person is erased is erased with everything of it', async (t) => {
  const { ctx, services } = t.context;
  await buildAda(ctx);
  await aggregateAll(services);
  const { next, now } = await startErasure(t);
  const { slug } = await buildProduct(ctx);
  let outcome = await next();
  for (let number = 1; outcome === 'more'; number += 1) {
    // As many as there are batches, so that one arrives between any two parts.
    if (number < 60) {
      const order = await buildReturnableOrder(ctx, { email, number: 7000 + number, address: { name: 'Ada', email } });
      await deliverAll(ctx);
      await resendReceipt(ctx, order.id);
      const items = order.items.map(({ id }) => ({ order_item_id: id, quantity: 1, note: 'Too small.' }));
      const { id: returnId } = await requestReturn(ctx, { orderNumber: order.order_number, email, items });
      await rejectReturn(ctx, { returnId, note: 'Dear Ada, no.' });
      if (number < 10) {
        await sendEvents(ctx, [{ type: 'page_viewed', session_id: 'two', order_id: order.id }]);
        await aggregateAll(services);
      }
      if (number === 30) await joinWaitlist(ctx, { email, product_slug: slug });
    }
    outcome = await next();
  }
  t.is((await now())?.state, 'completed');
  await runJobs(services);
  t.deepEqual((await exportPersonalData(ctx, { email })).held, {});
  const [{ left } = { left: 1 }] = await read<{ left: number }>(
    ctx,
    sql`
    select (select count(*)::int from returns where tenant_id = ${ctx.tenant.id} and note is not null)
      + (select count(*)::int from return_items where tenant_id = ${ctx.tenant.id} and note is not null)
      + (select count(*)::int from analytics_events where tenant_id = ${ctx.tenant.id} and session_id is not null)
      + (select count(*)::int from mails where tenant_id = ${ctx.tenant.id}) as left`,
  );
  t.is(left, 0);
});

test.serial(
  'who declined reminders gets none after an erasure either, also when the email is entered again',
  async (t) => {
    const { ctx } = t.context;
    const unsubscribes = async () => {
      await buildSavedCart(ctx, { email });
      await unsubscribe(ctx, await unsubscribeTokenOf(ctx, email));
    };
    await unsubscribes();
    const other = 'bob@quill.example';
    await buildSavedCart(ctx, { email: other });
    t.like(await erasePersonalData(ctx, { email }), { erased: { mail_preferences: 1 } });
    await erasePersonalData(ctx, { email: other });
    t.deepEqual((await exportPersonalData(ctx, { email })).held, {});
    t.true(await isUnsubscribed(ctx, email));
    t.false(await isUnsubscribed(ctx, other));
    await unsubscribes();
    await erasePersonalData(ctx, { email });
    t.true(await isUnsubscribed(ctx, email));
    t.is((await read(ctx, sql`select from mail_preferences where tenant_id = ${ctx.tenant.id}`)).length, 1);
  },
);

test.serial(
  'an order of which all was returned before it shipped is no obstacle to an erasure or to a closed store',
  async (t) => {
    const { ctx, services } = t.context;
    const { order_number: orderNumber, items } = await buildReturnableOrder(ctx, { email });
    const all = items.map(({ id, quantity }) => ({ order_item_id: id, quantity }));
    const { id: returnId } = await requestReturn(ctx, { orderNumber, email, items: all });
    const blockersNow = async () => {
      const id = await requestErasure(ctx, { email });
      await runJobs(services);
      return (await readErasure(ctx, id))?.blockers;
    };
    const unsent = `${orderNumber} was not sent yet: send it or refund it`;
    t.true((await blockersNow())?.includes(unsent));
    t.is((await readOpenBusiness(ctx)).unsentOrders, 1);
    await approveReturn(ctx, { returnId });
    await receiveReturn(ctx, { returnId });
    await closeReturn(ctx, { returnId });
    t.deepEqual(await blockersNow(), []);
    t.is((await readOpenBusiness(ctx)).unsentOrders, 0);
  },
);

test.serial('an erasure is run once it was previewed, and previewed again until it is run', async (t) => {
  const { ctx, services } = t.context;
  await buildPaidOrder(ctx, { email });
  const id = await requestErasure(ctx, { email });
  await t.throwsAsync(runErasure(ctx, { id }), { code: 'not_runnable' });
  await runJobs(services);
  t.like(await readErasure(ctx, id), { state: 'previewed', blockers: { length: 1 } });
  await deliverAll(ctx);
  t.is(await requestErasure(ctx, { email: email.toUpperCase() }), id);
  await runJobs(services);
  t.like(await readErasure(ctx, id), { state: 'previewed', blockers: only() });
  await runErasure(ctx, { id });
  await runErasure(ctx, { id });
  await runJobs(services);
  await runErasure(ctx, { id });
  t.like(await readErasure(ctx, id), { state: 'completed', erased: { orders: 1 } });
  t.not(await requestErasure(ctx, { email }), id);
});

test.serial(
  'what only an order leads to is erased before the order, and searched twice, in however many batches',
  async (t) => {
    const { ctx, services } = t.context;
    // More carts than fit into a batch, so that analytics wait for the next one.
    for (let number = 0; number <= bounds.rows * 20; number += 1) await createCart(ctx, { session_id: email });
    await buildAda(ctx);
    await aggregateAll(services);
    const searched: string[] = [];
    await erasePersonalData(ctx, { email }, { bounds, onPart: (part) => searched.push(part) });
    t.is(searched.filter((part) => part === 'analytics_quarantine').length, 2, 'once, and by the last batch');
    const named = sql`from analytics_events where tenant_id = ${ctx.tenant.id} and session_id is not null`;
    t.deepEqual(await read(ctx, sql`select order_id ${named}`), []);
  },
);

test.serial('what arrives in a part that was erased is erased by the last batch, also without an order', async (t) => {
  const { ctx } = t.context;
  for (let number = 0; number < 3; number += 1)
    await joinWaitlist(ctx, { email, product_slug: (await buildProduct(ctx)).slug });
  const { next } = await startErasure(t);
  const { slug } = await buildProduct(ctx);
  const parts: string[] = [];
  let isLate = false;
  for (;;) {
    const outcome = await next({ onPart: (part) => parts.push(part) });
    // The batch before the last one has ended with the last part.
    if (parts.at(-1) === 'erasures' && !isLate) {
      isLate = true;
      t.is(outcome, 'more');
      await joinWaitlist(ctx, { email, product_slug: slug });
    }
    if (outcome !== 'more') break;
  }
  t.true(isLate);
  t.deepEqual((await exportPersonalData(ctx, { email })).held, {});
});

test.serial('the orders of a batch cannot change once it has looked for what is in progress', async (t) => {
  const { ctx, services } = t.context;
  await buildAda(ctx);
  const { next } = await startErasure(t);
  let unlocked: object[] | undefined;
  const end = interceptStatements(services.context().database.pool, () => ({ text, send }) => {
    if (!text.includes('may still be paid') || unlocked) return send();
    unlocked = [];
    const free = sql`select id from orders where tenant_id = ${ctx.tenant.id} order by id for update skip locked`;
    return transact(ctx, ({ tx }) => tx.execute<object>(free)).then((rows) => {
      unlocked = rows;
      return send();
    });
  });
  try {
    await next();
  } finally {
    end();
  }
  t.is(unlocked?.length, 5 - bounds.orders);
});

test.serial('a batch is committed with the job that continues it, or not at all', async (t) => {
  const { ctx, services } = t.context;
  await joinWaitlist(ctx, { email, product_slug: (await buildProduct(ctx)).slug });
  const { id } = await startErasure(t);
  // As after a batch that did not begin with the first part; a process that stops ends after each.
  await set(ctx, sql`erasures set step = 1`);
  const stopping = AbortSignal.abort();
  const saved = () =>
    readOne<{ step: number; jobs: number }>(
      ctx,
      sql`
      select step, (select count(*)::int from outbox where tenant_id = ${ctx.tenant.id}
        and job = 'privacy.erase-data-subject') as jobs from erasures where id = ${id}`,
    );
  t.deepEqual(await saved(), { step: 1, jobs: 2 }, 'its preview and its first run');
  let kills = 0;
  const run = () => eraseDataSubject({ ...ctx, stopping }, { erasureId: id });
  for (let step = 1; await dieAt(services, step, run); step += 1) {
    kills += 1;
    t.deepEqual(await saved(), { step: 1, jobs: 2 }, `killed at ${step}`);
  }
  t.true(kills >= 10, `${kills} kills`);
  t.deepEqual(await saved(), { step: 0, jobs: 3 });
});

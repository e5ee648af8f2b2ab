import anyTest, { type TestFn } from 'ava';

import { purchaseLabel, refundDuplicate as refundDuplicateJob, resumeLabels as resumeLabelsJob } from '#jobs/labels.ts';
import { read, transact, writeRows } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { lockOrder, recordFulfillment } from '#src/domain/orders/index.ts';
import { requestRefund } from '#src/domain/payments/index.ts';
import type { ShippingGateway } from '#src/domain/ports/shipping-gateway.ts';
import {
  readLabelOfOrder,
  refundDuplicate,
  requestLabel,
  resumeLabels,
  retryLabel,
  type ShippingAccountInput,
  saveShippingAccount,
  voidLabel,
} from '#src/domain/shipping/index.ts';
import { unpause } from '#src/domain/shipping/pause-labels.ts';
import { closeStore, markRemoved, setModules } from '#src/domain/tenants/index.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { buildPaidOrder, type GivenOrder } from '#test/support/factories/orders.ts';
import { buildShippingAccount, origin, shippingAccountInput } from '#test/support/factories/shipping.ts';
import { busy, denial, type FakeShipping, rate, rejection, silence } from '#test/support/fakes/shipping-gateway.ts';
import { buildTenant } from '#test/support/tenant.ts';
import {
  Crash,
  crashingClock,
  jumpingClock,
  labelOf,
  orderOf,
  outboxJobsOf,
  press,
  rateIdOf,
  request,
  run,
  runToEnd,
  withFake,
} from './support.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

interface Situation {
  reason: string;
  given?: GivenOrder;
  arrange?: (fake: FakeShipping) => void;
}

test('a paid order gets the cheapest label of an enabled carrier, and its tracking number', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx, { carriers: ['usps', 'ups'] });
  shipping.rates = [
    rate({ amountCents: 990 }),
    rate({ amountCents: 710, carrier: 'ups', carrierName: 'UPS', service: 'Ground' }),
    rate({ amountCents: 300, carrier: 'fedex' }),
  ];
  const { order, labelId } = await request(ctx, {
    items: [
      { quantity: 2, weightOz: 18 },
      { quantity: 3, weightOz: 4.5 },
      { ships: false, weightOz: null },
    ],
  });

  t.is(await run(ctx, order.id), 'done');

  const label = await labelOf(ctx, order.id);
  t.like(label, { state: 'purchased', amountCents: 710, buyNumber: 1, buyingSince: null, reason: null });
  t.is(shipping.quotes[0]?.parcel.weightOz, 2 + 36 + 13.5);
  t.like(await orderOf(ctx, order.id), { status: 'paid', fulfillment: 'label_purchased', attention: null });
  t.like((await orderOf(ctx, order.id)).labels[0], {
    tracking_number: label.trackingNumber,
    carrier: 'UPS',
    service: 'Ground',
  });
  t.deepEqual(await recorded(ctx, labelId), ['label.purchased']);
  t.is(shipping.bought()[0]?.marker, `${labelId}:1 ${ctx.tenant.id} ${order.orderNumber}`);
});

test('a label is bought once, however often its job runs', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  await transact(ctx, (ctx) => requestLabel(ctx, { orderId: order.id }));
  await run(ctx, order.id);
  await run(ctx, order.id, 1);
  await run(ctx, order.id, 1);
  t.is(shipping.bought().length, 1);
  t.deepEqual(await outboxJobsOf(ctx, labelId), [{ labelId, attempt: 1 }]);
  t.deepEqual(await recorded(ctx, labelId), ['label.purchased']);
});

test('readLabelOfOrder returns the label of its order, among others of the store', async (t) => {
  const { ctx } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  for (const { order, labelId } of [await request(ctx), await request(ctx)])
    t.is((await readLabelOfOrder(ctx, order.id))?.id, labelId);
});

test('many workers on one label buy it once', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => run(ctx, order.id, 1)));
  t.is(shipping.bought().length, 1);
  t.is(shipping.calls.filter((what) => what === 'buy').length, 1);
  t.true(outcomes.every((outcome) => outcome === 'done' || outcome === 'snoozed'));
});

test('an attempt that crashes at any point ends with exactly one label', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  let points = 0;
  for (let point = 1; point <= 60; point += 1) {
    const { order } = await request(ctx);
    const before = shipping.bought().length;
    const crashing = crashingClock(clock, point);
    const died = await run({ ...ctx, clock: crashing }, order.id).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Crash) return true;
        throw error;
      },
    );
    if (died) points += 1;
    t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased', `killed at ${point}`);
    t.is(shipping.bought().length - before, 1, `killed at ${point}`);
    if (!died) break;
  }
  t.true(points >= 10, `${points} places to die`);
});

test('a provider that fails before or after any call sells one label', async (t) => {
  for (const call of ['quote', 'buyLabel'] as const) {
    for (const when of ['before', 'after'] as const) {
      const { ctx, shipping, clock } = withFake(t.context.ctx);
      await buildShippingAccount(ctx);
      const { order } = await request(ctx);
      const original = shipping[call].bind(shipping);
      const dying = async (...given: unknown[]) => {
        if (when === 'after') await Reflect.apply(original, shipping, given);
        throw new Crash(`killed ${when} ${call}`);
      };
      const dyingCtx = { ...ctx, ports: { ...ctx.ports, shipping: { ...shipping, [call]: dying } } };
      await t.throwsAsync(run(dyingCtx, order.id), { instanceOf: Crash });
      t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
      t.is(shipping.bought().length, 1, `${when} ${call}`);
    }
  }
});

test('an attempt that was frozen until another took over writes and buys nothing', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  const quote = shipping.quote.bind(shipping);
  const frozen = {
    ...shipping,
    async quote(...given: Parameters<typeof quote>) {
      clock.pass(minutes(2));
      shipping.nextPurchases = ['is silent'];
      t.is(await run(ctx, order.id, 1), 'done', 'another run asks for the label, and hears nothing');
      return quote(...given);
    },
  };
  t.is(await run({ ...ctx, ports: { ...ctx.ports, shipping: frozen } }, order.id, 1), 'snoozed');
  t.is(shipping.calls.filter((what) => what === 'buy').length, 1);
  t.like(await labelOf(ctx, order.id), { state: 'buying', buyNumber: 1 });
});

/** All that an attempt may write. */
const rowsOf = (ctx: Context) =>
  read(
    ctx,
    sql`
    select row from (
      select to_jsonb(l) as row from labels l where tenant_id = ${ctx.tenant.id}
      union all select to_jsonb(u) from unused_labels u where tenant_id = ${ctx.tenant.id}
      union all select to_jsonb(o) from orders o where tenant_id = ${ctx.tenant.id}
      union all select to_jsonb(e) from events e where tenant_id = ${ctx.tenant.id}
      union all select to_jsonb(j) from outbox j where tenant_id = ${ctx.tenant.id}) as written
    order by row`,
  );

const responses: Record<'buyLabel' | 'findPurchases', Record<string, (fake: FakeShipping) => void>> = {
  buyLabel: Object.fromEntries(
    [
      'sells' as const,
      'is silent' as const,
      'waits' as const,
      ...(['address', 'funds', 'temporary', 'carrier'] as const).map((fails) => ({ fails })),
      ...[busy(60), busy(), rejection()].map((error) => ({ error })),
    ].map((next) => [JSON.stringify(next), (fake) => (fake.nextPurchases = [next])]),
  ),
  findPurchases: {
    nothing: () => undefined,
    ...Object.fromEntries(
      (['purchased', 'undecided', 'failed', 'refunding', 'refunded', 'refund_rejected'] as const).map((state) => [
        state,
        (fake) => fake.amend(fake.bought()[0]?.id ?? '', state),
      ]),
    ),
    'no response': (fake) => fake.throws.lookup.push(silence()),
  },
};

for (const [call, outcomes] of Object.entries(responses)) {
  for (const [outcome, arrange] of Object.entries(outcomes)) {
    test(`an attempt that was frozen in ${call} until another took over writes nothing of ${outcome}`, async (t) => {
      const { ctx, shipping, clock } = withFake(t.context.ctx);
      await buildShippingAccount(ctx);
      const { order } = await request(ctx);
      if (call === 'findPurchases') {
        shipping.nextPurchases = [outcome === 'nothing' ? 'is silent' : 'sells silently'];
        shipping.throws.lookup = [silence()];
        t.is(await run(ctx, order.id), 'done');
      }
      arrange(shipping);
      let before: unknown;
      const respond = Reflect.get(shipping, call).bind(shipping);
      const frozen = {
        ...shipping,
        async [call](...given: unknown[]) {
          const [response] = await Promise.allSettled([respond(...given)]);
          clock.pass(minutes(2));
          shipping.throws.lookup = [silence()];
          t.is(await run(ctx, order.id), 'done', 'the other one');
          before = await rowsOf(ctx);
          if (response.status === 'rejected') throw response.reason;
          return response.value;
        },
      };
      t.is(await run({ ...ctx, ports: { ...ctx.ports, shipping: frozen } }, order.id), 'snoozed');
      t.deepEqual(await rowsOf(ctx), before);
    });
  }
}

test('a purchase is requested only under a lease that outlives it', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const buyLabel = shipping.buyLabel.bind(shipping);
  for (let lookup = 1; lookup <= 30; lookup += 1) {
    const { order } = await request(ctx);
    const stopping = {
      ...shipping,
      async buyLabel(...given: Parameters<typeof buyLabel>) {
        const until = (await labelOf(ctx, order.id)).leaseExpiresAt?.getTime() ?? 0;
        t.true(until - clock.now().getTime() >= ctx.settings.labelBuyTimeoutMs, `frozen at ${lookup}`);
        return buyLabel(...given);
      },
    };
    const jumping = jumpingClock(clock, lookup, minutes(2));
    await run({ ...ctx, clock: jumping, ports: { ...ctx.ports, shipping: stopping } }, order.id);
    t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
    if (jumping.lookups < lookup) return;
  }
  t.fail('The run has no end.');
});

test('a purchase without a response is looked up under a lease that outlives any call', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  const slow: ShippingGateway = {
    ...shipping,
    buyLabel(...given) {
      clock.pass(ctx.settings.labelBuyTimeoutMs);
      return shipping.buyLabel(...given);
    },
    async findPurchases(...given) {
      const until = (await labelOf(ctx, order.id)).leaseExpiresAt?.getTime() ?? 0;
      t.true(until - clock.now().getTime() >= ctx.settings.labelBuyTimeoutMs);
      return shipping.findPurchases(...given);
    },
  };
  await run({ ...ctx, ports: { ...ctx.ports, shipping: slow } }, order.id);
  t.deepEqual(shipping.calls, ['quote', 'buy', 'lookup']);
});

test('a label whose response was lost is found and recorded, not bought again', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  await run(ctx, order.id);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.deepEqual(shipping.calls, ['quote', 'buy', 'lookup']);
});

test('a purchase that is slow to show is waited for', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = [{ sellsUnseenFor: 1 }];
  await run(ctx, order.id);
  const waiting = await labelOf(ctx, order.id);
  t.is(waiting.state, 'buying');
  t.true((waiting.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime() > minutes(1));

  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(shipping.bought().length, 1);
  t.is(shipping.calls.filter((what) => what === 'buy').length, 1);
});

test('a rate is bought again only after two empty lookups a grace period apart', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['is silent'];
  await run(ctx, order.id);
  t.deepEqual(shipping.calls, ['quote', 'buy', 'lookup']);

  await run(ctx, order.id);
  t.deepEqual(shipping.calls.slice(3), ['lookup'], 'too early: it looks up the purchase and waits');
  t.is((await labelOf(ctx, order.id)).state, 'buying');

  t.like(await runToEnd(ctx, clock, order.id), { state: 'purchased', buyNumber: 2 });
  t.deepEqual(shipping.calls.slice(4), ['lookup', 'buy']);
  t.is(shipping.bought().length, 1);
});

test('a lookup that fails is repeated', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = [silence(), busy(), silence()];
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(shipping.calls.filter((what) => what === 'buy').length, 1);
});

test('a label whose outcome stays unknown is flagged, and its retry looks the purchase up first', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = Array.from({ length: 6 }, silence);
  t.like(await runToEnd(ctx, clock, order.id), { state: 'needs_attention', reason: 'outcome_unknown' });
  t.deepEqual(await recorded(ctx, labelId), ['label.needs_attention']);

  t.is(await press(ctx, order.id), 'done');
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.is(shipping.calls.filter((what) => what === 'buy').length, 1);
});

test('a purchase that the provider has not decided is waited for', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const good = await request(ctx);
  shipping.nextPurchases = ['waits'];
  await run(ctx, good.order.id);
  t.is((await labelOf(ctx, good.order.id)).state, 'buying');
  shipping.decide('purchased');
  t.is((await runToEnd(ctx, clock, good.order.id)).state, 'purchased');

  const slow = await request(ctx);
  shipping.nextPurchases = ['waits'];
  await run(ctx, slow.order.id);
  clock.pass(hours(25));
  t.regex(await run(ctx, slow.order.id), /outcome_unknown/);
  t.is(shipping.bought().length, 1);
});

test('an undecided purchase without our marker is waited for as well', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  shipping.nextPurchases = ['is silent'];
  await run(ctx, order.id);
  shipping.nextPurchases = ['waits'];
  const byHand = await shipping.buyLabel(
    { tenantId: ctx.tenant.id, apiKey: '' },
    { rateId: await rateIdOf(ctx, labelId), marker: '' },
  );
  clock.pass(minutes(3));
  await run(ctx, order.id);
  clock.pass(minutes(3));
  await run(ctx, order.id);
  t.is((await labelOf(ctx, order.id)).state, 'buying');
  shipping.decide('purchased');
  t.like(await runToEnd(ctx, clock, order.id), { state: 'purchased', buyNumber: 1, purchaseId: byHand.id });
});

test('of two labels that a lookup finds, the first is used and the other refunded', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = [silence()];
  await run(ctx, order.id);
  const [first] = shipping.bought();
  await shipping.buyLabel(
    { tenantId: ctx.tenant.id, apiKey: '' },
    { rateId: await rateIdOf(ctx, labelId), marker: first?.marker ?? '' },
  );
  await run(ctx, order.id);
  t.like(await labelOf(ctx, order.id), { state: 'purchased', purchaseId: first?.id });
  t.is((await orderOf(ctx, order.id)).attention, 'duplicate_voided');
  for (const duplicate of await enqueuedJobs(ctx, refundDuplicateJob)) await refundDuplicate(ctx, duplicate);
  t.deepEqual(
    shipping.bought().map(({ id }) => id),
    [first?.id],
  );
});

test('a rate of last week is quoted again, but only when the label is certain not to have been bought', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['is silent'];
  shipping.throws.lookup = [silence()];
  await run(ctx, order.id);
  clock.pass(days(7));
  await run(ctx, order.id);
  t.deepEqual(shipping.calls, ['quote', 'buy', 'lookup', 'lookup']);
  shipping.rates = [rate({ createdAt: clock.now(), amountCents: 900 })];
  t.like(await runToEnd(ctx, clock, order.id), { state: 'purchased', amountCents: 900 });
  t.deepEqual(shipping.calls.slice(4), ['lookup', 'quote', 'buy']);
});

test('a temporary failure is retried six times over some hours, each later, and then flagged', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  shipping.throws.quote = Array.from({ length: 20 }, silence);
  const startedAt = clock.now().getTime();
  t.like(await runToEnd(ctx, clock, order.id), { state: 'needs_attention', reason: 'provider_error' });
  t.is(shipping.calls.length, 6);
  t.is((await outboxJobsOf(ctx, labelId)).length, 6);
  const tookMs = clock.now().getTime() - startedAt;
  t.true(tookMs > hours(6) && tookMs < hours(8), `${tookMs / hours(1)} hours`);

  shipping.throws.quote = [silence()];
  t.is(await press(ctx, order.id), 'done', 'Retry, pressed on the board, runs the same job again');
  t.like(await labelOf(ctx, order.id), { state: 'queued', failedAttempts: 1 }, 'the schedule begins anew');
  t.is(await run(ctx, order.id), 'done');
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.like(await orderOf(ctx, order.id), { fulfillment: 'label_purchased', attention: null });
});

test('a job that a newer attempt replaced does nothing, however often it runs', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.throws.quote = [silence()];
  await run(ctx, order.id);
  t.like(await labelOf(ctx, order.id), { state: 'queued', latestAttempt: 2 });
  t.is(await run(ctx, order.id, 1), 'done');
  t.deepEqual(shipping.calls, ['quote'], 'its time has not come');
});

test('a label that is being voided is not bought, also where the process that voids it is gone', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  await writeRows(
    ctx,
    sql`update labels set voiding_since = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and id = ${labelId} returning id`,
  );
  t.is(await run(ctx, order.id), 'done');
  t.deepEqual(shipping.calls, []);
  t.is((await labelOf(ctx, order.id)).state, 'queued');
});

test("a provider's retry-after counts as no try", async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.throws.quote = [busy(30)];
  t.is(await run(ctx, order.id), 'snoozed');
  t.like(await labelOf(ctx, order.id), { state: 'queued', failedAttempts: 0, leaseExpiresAt: null });
  shipping.nextPurchases = [{ error: busy(30) }];
  t.is(await run(ctx, order.id), 'snoozed');
  t.like(await labelOf(ctx, order.id), { state: 'rate_chosen', failedAttempts: 0, buyingSince: null });
  t.is(await run(ctx, order.id), 'done');
  t.is(shipping.bought().length, 1);
});

const changedSettings: Record<string, { change: Partial<ShippingAccountInput>; ends: string }> = {
  'the address that parcels leave from': { change: { origin: { ...origin, zip: '94607' } }, ends: 'purchased' },
  'the box': { change: { parcel: { length_in: 6, width_in: 6, height_in: 6, weight_oz: 3 } }, ends: 'purchased' },
  'the carriers': { change: { carriers: ['ups'] }, ends: 'no_enabled_carrier' },
  'the limit of its costs': { change: { label_cost_cap_cents: 100 }, ends: 'cost_cap' },
};
for (const [name, { change, ends }] of Object.entries(changedSettings)) {
  test(`a label that is tried again is quoted again where the store has changed ${name} since`, async (t) => {
    const { ctx, shipping, clock } = withFake(t.context.ctx);
    const account = await buildShippingAccount(ctx);
    const { order } = await request(ctx);
    shipping.nextPurchases = [{ fails: 'temporary' }];
    await run(ctx, order.id);
    await transact(ctx, (ctx) => saveShippingAccount(ctx, { ...account, ...change }));
    const { state, reason } = await runToEnd(ctx, clock, order.id);
    t.is(reason ?? state, ends);
    t.is(shipping.quotes.length, 2);
    t.like(shipping.quotes[1], {
      from: (change.origin ?? origin) as object,
      carriers: change.carriers ?? account.carriers,
    });
  });
}

test('a label is flagged when the provider postpones it for hours', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.throws.quote = Array.from({ length: 60 }, () => busy(1800));
  const startedAt = clock.now().getTime();
  t.like(await runToEnd(ctx, clock, order.id, { runsMax: 60 }), {
    state: 'needs_attention',
    reason: 'provider_rate_limited',
  });
  t.true(shipping.calls.length > 12);
  const tookMs = clock.now().getTime() - startedAt;
  t.true(tookMs > hours(12) && tookMs < hours(15), `${tookMs / hours(1)} hours`);

  shipping.throws.quote = [];
  t.is(await press(ctx, order.id), 'done');
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
});

test('a label of another order is never taken for this one, whatever its rate', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  shipping.nextPurchases = ['is silent'];
  shipping.throws.lookup = [silence()];
  await run(ctx, order.id);
  const strange = await shipping.buyLabel(
    { tenantId: ctx.tenant.id, apiKey: '' },
    { rateId: await rateIdOf(ctx, labelId), marker: `${newId('lbl')}:1 ${ctx.tenant.id} ORD-1` },
  );
  t.like(await runToEnd(ctx, clock, order.id), { state: 'purchased', buyNumber: 2 });
  t.not((await labelOf(ctx, order.id)).purchaseId, strange.id);
});

test('purchaseLabel buys another label for one voided at the provider only when an operator retries', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = [silence()];
  await run(ctx, order.id);
  shipping.amend(shipping.bought()[0]?.id ?? '', 'refunded');
  t.regex(await run(ctx, order.id), /carrier_error/);
  t.like(await labelOf(ctx, order.id), { state: 'needs_attention', buyingSince: null });
  t.is(await run(ctx, order.id), 'done', 'the job was handed out once more, because its process died');
  t.is(shipping.bought().length, 0);
  t.is(await press(ctx, order.id), 'done');
  t.is(shipping.bought().length, 1);
});

test('the label of a disputed order is bought only by an operator who has seen that it is', async (t) => {
  for (const disputeStatus of ['open', 'lost'] as const) {
    const { ctx, shipping } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const { order, labelId } = await request(ctx, { disputeStatus });
    t.is(await run(ctx, order.id), 'done', 'it is no fault');
    t.like(await labelOf(ctx, order.id), { state: 'needs_attention', reason: 'payment_disputed' });
    t.like(await orderOf(ctx, order.id), { fulfillment: 'needs_attention', attention: 'payment_disputed' });
    t.is(shipping.bought().length, 0);
    await retryLabel(ctx, { labelId });
    t.is(await run(ctx, order.id), 'done');
    t.like(await orderOf(ctx, order.id), { fulfillment: 'label_purchased', attention: null });
  }
  const { ctx } = withFake(t.context.ctx);
  const { order } = await request(ctx, { disputeStatus: 'won' });
  await run(ctx, order.id);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
});

test('the label of an order that is disputed while it waits is not bought with all that waited', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  shipping.throws.quote = [denial()];
  const { order, labelId } = await request(ctx);
  await run(ctx, order.id);
  t.is((await labelOf(ctx, order.id)).reason, 'provider_auth');
  await transact(ctx, ({ tx, tenant }) =>
    tx.execute(sql`update orders set dispute_status = 'open' where tenant_id = ${tenant.id} and id = ${order.id}`),
  );
  await retryLabel(ctx, { labelId });
  await run(ctx, order.id);
  t.is((await labelOf(ctx, order.id)).reason, 'payment_disputed');
});

test('a flagged label fails its job with order, reason and advice', async (t) => {
  const situations: Situation[] = [
    { reason: 'missing_address', given: { address: null } },
    { reason: 'missing_address', given: { address: { street1: ' ' } } },
    { reason: 'address_invalid', given: { address: { zip: 'SW1A' } } },
    { reason: 'parcel_missing', given: { items: [{ weightOz: null }] } },
    { reason: 'oversold', given: { attentionCodes: ['oversold'] } },
    {
      reason: 'address_invalid',
      arrange: (fake) => {
        fake.nextQuote = { rates: [], rejection: { kind: 'address', detail: 'no such zip' } };
      },
    },
    { reason: 'no_rates', given: { items: [{ quantity: 3, weightOz: 800 }] } },
    {
      reason: 'no_rates',
      arrange: (fake) => {
        fake.nextQuote = { rates: [], rejection: { kind: 'other', detail: '' } };
      },
    },
    {
      reason: 'no_enabled_carrier',
      arrange: (fake) => {
        fake.nextQuote = { hasActiveCarrier: false, rates: [] };
      },
    },
    {
      reason: 'no_matching_rate',
      arrange: (fake) => {
        fake.rates = [rate({ currency: 'CAD' })];
      },
    },
    {
      reason: 'cost_cap',
      arrange: (fake) => {
        fake.rates = [rate({ amountCents: 4001 })];
      },
    },
    {
      reason: 'address_invalid',
      arrange: (fake) => {
        fake.throws.quote = [rejection('address_to'), rejection('address_to')];
      },
    },
    {
      reason: 'address_invalid',
      arrange: (fake) => {
        fake.nextPurchases = [{ fails: 'address' }, { fails: 'address' }];
      },
    },
    {
      reason: 'provider_insufficient_funds',
      arrange: (fake) => {
        fake.nextPurchases = [{ fails: 'funds' }, { fails: 'funds' }];
      },
    },
    {
      reason: 'carrier_error',
      arrange: (fake) => {
        fake.nextPurchases = [{ fails: 'carrier' }, { fails: 'carrier' }];
      },
    },
  ];
  await buildShippingAccount(t.context.ctx, { label_cost_cap_cents: 4000 });
  for (const { reason, given = {}, arrange } of situations) {
    const { ctx, shipping } = withFake(t.context.ctx);
    arrange?.(shipping);
    const { order, labelId } = await request(ctx, given);
    const message = await run(ctx, order.id);
    t.regex(message, new RegExp(`^${order.orderNumber}: ${reason}\\. [A-Z].+\\. [A-Z].+\\.$`));
    t.notRegex(message, /23rd|Ada|10010/);
    const isDecided = ['oversold', 'no_matching_rate'].includes(reason);
    t.is(message.includes("Retry it on /ops/labels: the board's Retry does not decide that."), isDecided);
    t.like(await labelOf(ctx, order.id), { state: 'needs_attention', reason, leaseExpiresAt: null, buyingSince: null });
    t.like(await orderOf(ctx, order.id), { status: 'paid', fulfillment: 'needs_attention', attention: reason });

    t.is(await press(ctx, order.id), message, 'a retry that ends the same way says the same');
    t.deepEqual(await recorded(ctx, labelId), ['label.needs_attention'], 'and records no further event');
    t.is(shipping.bought().length, 0);
  }
});

test('an international parcel needs attention without failing its job', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx, { address: { country: 'CA', state: 'ON', zip: 'K1A 0B1' } });
  t.is(await run(ctx, order.id), 'done');
  t.is(await run(ctx, order.id), 'done');
  t.like(await labelOf(ctx, order.id), { state: 'needs_attention', reason: 'international' });
  t.is((await orderOf(ctx, order.id)).attention, 'international');
  t.deepEqual(await recorded(ctx, labelId), ['label.needs_attention']);
  t.deepEqual(shipping.calls, []);
});

test('goods that do not ship, and orders that are not paid any more, need no label', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const download = await request(ctx, { items: [{ ships: false, weightOz: null }] });
  t.like(await labelOf(ctx, download.order.id), { state: 'skipped', reason: 'not_required' });
  t.is((await orderOf(ctx, download.order.id)).fulfillment, 'not_required');
  t.deepEqual(await outboxJobsOf(ctx, download.labelId), []);

  const refunded = await request(ctx, { status: 'refunded' });
  t.is(await run(ctx, refunded.order.id), 'done');
  t.is((await labelOf(ctx, refunded.order.id)).state, 'skipped');
  t.deepEqual(shipping.calls, []);
});

test('labels wait while the store has no account, and are bought when it is saved', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  const orders = [await request(ctx), await request(ctx)];
  for (const { order } of orders) t.regex(await run(ctx, order.id), /: provider_auth\. /);
  await buildShippingAccount(ctx);
  for (const payload of await enqueuedJobs(ctx, resumeLabelsJob)) await resumeLabels(ctx, payload);
  for (const { order } of orders) t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(shipping.bought().length, 2);
});

test("a key that is not accepted pauses the store's labels with one call and one alert", async (t) => {
  const { ctx: base, shipping, clock } = withFake(t.context.ctx);
  const alerts: string[] = [];
  const ctx = { ...base, log: { ...base.log, error: (_: object, phrase: string) => alerts.push(phrase) } };
  const input = await buildShippingAccount(ctx);
  const orders = [await request(ctx), await request(ctx), await request(ctx)];
  shipping.throws.quote = [denial()];
  for (const { order } of orders) t.regex(await run(ctx, order.id), /provider_auth/);
  t.deepEqual(shipping.calls, ['quote']);
  t.is(alerts.length, 1);

  await transact(ctx, (ctx) => saveShippingAccount(ctx, { ...input, api_key: shippingAccountInput().api_key }));
  for (const _ of [1, 2])
    for (const payload of await enqueuedJobs(ctx, resumeLabelsJob)) await resumeLabels(ctx, payload);
  for (const { order } of orders) t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
});

test('a manual retry calls the provider even while labels are paused, and resumes the others', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const [first, second] = [await request(ctx), await request(ctx)];
  shipping.throws.quote = [denial()];
  await run(ctx, first.order.id);
  await run(ctx, second.order.id);
  const before = (await enqueuedJobs(ctx, resumeLabelsJob)).length;
  t.is(await press(ctx, first.order.id), 'done');
  t.is((await labelOf(ctx, first.order.id)).state, 'purchased');
  const [resume, ...others] = (await enqueuedJobs(ctx, resumeLabelsJob)).slice(before);
  t.deepEqual(others, []);
  await resumeLabels(ctx, resume as NonNullable<typeof resume>);
  t.is((await runToEnd(ctx, clock, second.order.id)).state, 'purchased');
});

test('an open purchase is not looked up while labels are paused, and is found afterwards', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const [open, denied] = [await request(ctx), await request(ctx)];
  shipping.nextPurchases = [{ sellsUnseenFor: 1 }];
  await run(ctx, open.order.id);
  t.not((await labelOf(ctx, open.order.id)).buyingSince, null);
  shipping.throws.quote = [denial()];
  await run(ctx, denied.order.id);
  clock.pass(hours(1));
  shipping.calls.length = 0;
  t.regex(await run(ctx, open.order.id), /provider_auth/);
  t.deepEqual(shipping.calls, []);
  await transact(ctx, unpause);
  for (const resume of await enqueuedJobs(ctx, resumeLabelsJob)) await resumeLabels(ctx, resume);
  t.is((await runToEnd(ctx, clock, open.order.id)).state, 'purchased');
  t.is(shipping.bought().length, 1);
});

test('a temporary failure of the carrier is retried', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = [{ fails: 'temporary' }, { fails: 'temporary' }];
  t.like(await runToEnd(ctx, clock, order.id), { state: 'purchased', buyNumber: 3 });
  t.is(shipping.bought().length, 1);
});

test('an address that was corrected is quoted again', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = [{ fails: 'temporary' }];
  await run(ctx, order.id);
  await transact(ctx, async (ctx) => {
    const locked = await lockOrder(ctx, order.id);
    if (locked?.shippingAddress) locked.shippingAddress = { ...locked.shippingAddress, zip: '94110' };
  });
  await runToEnd(ctx, clock, order.id);
  t.deepEqual(
    shipping.quotes.map(({ to }) => to.zip),
    ['10010', '94110'],
  );
});

test('an order that was shipped by hand meanwhile keeps its state when its label turns up', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  await transact(ctx, (ctx) => recordFulfillment(ctx, order.id, { status: 'shipped' }));
  await run(ctx, order.id);
  t.is((await orderOf(ctx, order.id)).fulfillment, 'shipped');
  t.is(shipping.bought().length, 1);
});

test("attentions of an order's payment stay open after its label is bought", async (t) => {
  const { ctx } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx, { attentionCodes: ['gift_card_spent'], items: [{ weightOz: null }] });
  t.regex(await run(ctx, order.id), /parcel_missing/);
  t.like(await orderOf(ctx, order.id), { fulfillment: 'needs_attention', attention: 'gift_card_spent' });
  const other = await request(ctx, { attentionCodes: ['gift_card_spent'] });
  await run(ctx, other.order.id);
  t.like(await orderOf(ctx, other.order.id), { fulfillment: 'label_purchased', attention: 'gift_card_spent' });
});

test('an attempt that dies while it requests rates delays no other', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.throws.quote = [new Crash('killed')];
  await t.throwsAsync(run(ctx, order.id), { instanceOf: Crash });
  t.is(await run(ctx, order.id), 'done');
  t.is(shipping.bought().length, 1);
});

test('of two attempts that request rates at once, one buys the label', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  const [quoting, quoted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: FakeShipping = {
    ...shipping,
    async quote(...given) {
      quoting.resolve();
      await quoted.promise;
      return shipping.quote(...given);
    },
  };
  const first = run({ ...ctx, ports: { ...ctx.ports, shipping: slow } }, order.id);
  await quoting.promise;
  t.is(await run(ctx, order.id), 'done');
  quoted.resolve();
  t.is(await first, 'snoozed');
  t.is(shipping.bought().length, 1);
  t.is((await labelOf(ctx, order.id)).buyNumber, 1);
});

test('requestLabel rejects an unknown order and enqueues no job', async (t) => {
  await t.throwsAsync(
    transact(t.context.ctx, (ctx) => requestLabel(ctx, { orderId: 'ord_none' })),
    { instanceOf: DomainError, code: 'not_found' },
  );
  t.deepEqual(await enqueuedJobs(t.context.ctx, purchaseLabel), []);
});

test.serial('a label costs the database so many statements and no more', async (t) => {
  const { services } = t.context;
  const { ctx } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const order = await buildPaidOrder(ctx);
  const counted = await countStatements(services, () =>
    transact(ctx, (ctx) => requestLabel(ctx, { orderId: order.id })),
  );
  t.is(counted.statements.length, 2, counted.statements.join('\n'));

  const requested = await request(ctx);
  const bought = await countStatements(services, () => run(ctx, requested.order.id, 1));
  t.is((await labelOf(ctx, requested.order.id)).state, 'purchased');
  t.is(bought.statements.length - 1, 7, bought.statements.join('\n'));
});

test('no label is bought for a store that is removed while its rates are requested', async (t) => {
  const { ctx, shipping } = withFake({ ...t.context.ctx, tenant: await buildTenant(t.context.services) });
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  const { quote } = shipping;
  shipping.quote = async (...given) => {
    await transact(ctx, async (ctx) => (await closeStore(ctx)) && (await markRemoved(ctx, 'ada@desk')));
    return quote(...given);
  };
  t.is(await run(ctx, order.id), 'snoozed');
  t.deepEqual(shipping.calls, ['quote']);
  t.like(await labelOf(ctx, order.id), { state: 'queued', buyingSince: null });
});

test('labels are bought and voided, and refunds requested, while a store file with new settings is applied', async (t) => {
  const { ctx } = withFake({ ...t.context.ctx, tenant: await buildTenant(t.context.services) });
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx, { paymentId: newId('pay') });
  await transact(ctx, async (applying) => {
    await setModules(applying, { reviews: !ctx.tenant.modules.reviews });
    t.is(await run(ctx, order.id), 'done');
    await voidLabel(ctx, { labelId });
    await requestRefund(ctx, { orderId: order.id });
  });
  t.like(await labelOf(ctx, order.id), { state: 'voided' });
});

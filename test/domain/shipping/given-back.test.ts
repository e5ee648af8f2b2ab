import anyTest, { type TestFn } from 'ava';

import * as jobs from '#jobs/labels.ts';
import type { Context } from '#src/domain/context.ts';
import { failLabelRefund, refundUnusedLabel, voidLabel } from '#src/domain/shipping/index.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError, ManualActionRequired, ProviderError, Snooze } from '#src/lib/errors.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { rejection, silence } from '#test/support/fakes/shipping-gateway.ts';
import { Crash, crashingClock, labelOf, orderOf, request, run, withFake } from './support.ts';

/* Once somebody asked for a label to be given back, that is brought to its end, whoever dies over it. */

const test = anyTest as TestFn<TestContext>;
useContext(test);

async function bought(base: Context) {
  const fake = withFake(base);
  await buildShippingAccount(fake.ctx);
  const requested = await request(fake.ctx);
  await run(fake.ctx, requested.order.id);
  return { ...fake, ...requested };
}

async function finish(ctx: Context): Promise<void> {
  for (const payload of await enqueuedJobs(ctx, jobs.finishVoid)) await refundUnusedLabel(ctx, payload);
}

test('wherever the process of a person who voids a label dies, it is given back in the end, once', async (t) => {
  let deaths = 0;
  for (let look = 1; look <= 30; look += 1) {
    const { ctx, shipping, clock, order, labelId } = await bought(t.context.ctx);
    const died = await voidLabel({ ...ctx, clock: crashingClock(clock, look) }, { labelId }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Crash) return true;
        throw error;
      },
    );
    clock.pass(minutes(2));
    const wasBegun = (await enqueuedJobs(ctx, jobs.finishVoid)).length > 0;
    await finish(ctx);
    await finish(ctx);
    const isVoided = (await labelOf(ctx, order.id)).state === 'voided';
    t.is(isVoided, wasBegun, `killed at ${look}: what was begun is finished, and nothing else`);
    t.is(shipping.bought().length, isVoided ? 0 : 1);
    t.like(
      await orderOf(ctx, order.id),
      isVoided ? { fulfillment: 'unfulfilled', labels: [] } : { fulfillment: 'label_purchased' },
    );
    if (!died) break;
    deaths += 1;
  }
  t.true(deaths >= 5);
});

test('a process that dies after the provider took the label back leaves the rest to another', async (t) => {
  const { ctx, shipping, clock, order, labelId } = await bought(t.context.ctx);
  const refund = shipping.refundPurchase.bind(shipping);
  const dying = {
    ...ctx,
    ports: {
      ...ctx.ports,
      shipping: {
        ...shipping,
        async refundPurchase(...given: Parameters<typeof refund>) {
          await refund(...given);
          // No catch of its own runs in a process that was killed.
          await new Promise<never>(() => undefined);
        },
      },
    },
  };
  void voidLabel(dying, { labelId });
  while (shipping.refunded.length === 0) await new Promise(setImmediate);

  await t.throwsAsync(finish(ctx), { instanceOf: Snooze }, 'he may only be slow');
  t.is(await run(ctx, order.id), 'done', 'nobody brings it on meanwhile');
  clock.pass(minutes(2));
  await finish(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
  t.like(await orderOf(ctx, order.id), { fulfillment: 'unfulfilled', labels: [], attention: null });
});

test('a provider that was away when somebody voided a label is asked again by itself', async (t) => {
  const { ctx, shipping, order, labelId } = await bought(t.context.ctx);
  shipping.throws.refund = [silence(), silence()];
  await t.throwsAsync(voidLabel(ctx, { labelId }), { instanceOf: DomainError, code: 'shipping_provider_unavailable' });
  await t.throwsAsync(finish(ctx), { instanceOf: ProviderError });
  await finish(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
  t.is(shipping.bought().length, 0);
});

test("a label that the provider does not take back stays the order's, and a person hears of it", async (t) => {
  const { ctx, shipping, order, labelId } = await bought(t.context.ctx);
  shipping.throws.refund = [silence(), rejection()];
  await t.throwsAsync(voidLabel(ctx, { labelId }), { instanceOf: DomainError });
  await t.throwsAsync(finish(ctx), {
    instanceOf: ManualActionRequired,
    message: new RegExp(`^${order.orderNumber}: label_not_refunded\\.`),
  });
  await finish(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.like(await orderOf(ctx, order.id), { fulfillment: 'label_purchased', attention: 'label_not_refunded' });
});

test("a provider that stays away until no try is left is a person's", async (t) => {
  const { ctx, order, labelId } = await bought(t.context.ctx);
  await failLabelRefund(ctx, { labelId });
  t.is((await orderOf(ctx, order.id)).attention, 'label_not_refunded');
});

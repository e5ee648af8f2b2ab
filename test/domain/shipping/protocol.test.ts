import anyTest, { type TestFn } from 'ava';

import { brokenConstraint, readOne, transact } from '#src/database/transact.ts';
import { isReasonCode, reasons, voidLabel } from '#src/domain/shipping/index.ts';
import { adviceFor, type ReasonCode } from '#src/domain/shipping/label-reasons.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { silence } from '#test/support/fakes/shipping-gateway.ts';
import { labelOf, request, run, withFake } from './support.ts';

/* What the protocol of labels guarantees about its rows and its waits, as they are in production. */

const test = anyTest as TestFn<TestContext>;
useContext(test, {
  environment: { LABEL_BUY_TIMEOUT: '60s', LABEL_LOOKUP_GRACE: '2m', LABEL_RETRY_SCHEDULE: '0s,2m,10m,30m,90m,4h' },
});

test('what identifies a purchase is committed before it is requested', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  const buyLabel = shipping.buyLabel.bind(shipping);
  const watched = {
    ...shipping,
    async buyLabel(...given: Parameters<typeof buyLabel>) {
      const row = await readOne<{ shipmentId: string; rateId: string; buyToken: string; amountCents: number }>(
        ctx,
        sql`
      select state, rate_id as "rateId", rate->>'shipmentId' as "shipmentId", amount_cents as "amountCents",
        buy_token as "buyToken", buying_since is not null as "isOpen"
      from labels where tenant_id = ${ctx.tenant.id} and id = ${labelId}`,
      );
      const [, { rateId, marker }] = given;
      t.like(row, { state: 'buying', isOpen: true, shipmentId: 'shipment', rateId, amountCents: 842 });
      t.is(marker, `${row?.buyToken} ${ctx.tenant.id} ${order.orderNumber}`);
      t.true(marker.includes(labelId) && marker.length <= 100);
      return buyLabel(...given);
    },
  };
  t.is(await run({ ...ctx, ports: { ...ctx.ports, shipping: watched } }, order.id), 'done');
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
});

test('a purchase times out after a minute, and its lease lasts 15 seconds longer', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  clock.stop();
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  const buyLabel = shipping.buyLabel.bind(shipping);
  const watched = {
    ...shipping,
    async buyLabel(...given: Parameters<typeof buyLabel>) {
      t.is(given[2]?.timeoutMs, minutes(1));
      const heldMs = ((await labelOf(ctx, order.id)).leaseExpiresAt?.getTime() ?? 0) - clock.now().getTime();
      t.is(heldMs, seconds(75));
      return buyLabel(...given);
    },
  };
  t.is(await run({ ...ctx, ports: { ...ctx.ports, shipping: watched } }, order.id), 'done');
});

test('an order has one live label, and another only when that was voided', async (t) => {
  const { ctx } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  const another = () =>
    transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
    insert into labels (tenant_id, id, order_id, order_number, state, latest_attempt, failed_attempts,
      chosen_manually, buy_number, rechecks, version, created_at, updated_at)
    select tenant_id, ${newId('lbl')}, order_id, order_number, 'queued', 1, 0, false, 0, 0, 1, created_at, updated_at
    from labels where tenant_id = ${ctx.tenant.id} and id = ${labelId}`),
    );
  t.is(brokenConstraint(await t.throwsAsync(another())), 'labels_live');
  await run(ctx, order.id);
  await voidLabel(ctx, { labelId });
  await t.notThrowsAsync(another());
});

test('labels that failed together are retried at different times', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  shipping.throws.quote = Array.from({ length: 5 }, silence);
  const waits = [];
  for (let label = 0; label < 5; label += 1) {
    const { order } = await request(ctx);
    const requestedAt = clock.now().getTime();
    await run(ctx, order.id);
    waits.push(((await labelOf(ctx, order.id)).nextAttemptAt?.getTime() ?? 0) - requestedAt);
  }
  t.true(
    waits.every((ms) => ms >= minutes(2) && ms <= minutes(2.5)),
    String(waits),
  );
  t.true(new Set(waits.map((ms) => Math.round(ms / 100))).size > 1, String(waits));
});

test('every reason says what happened and what to do', (t) => {
  const codes: ReasonCode[] = [
    'missing_address',
    'address_invalid',
    'no_rates',
    'no_enabled_carrier',
    'no_matching_rate',
    'cost_cap',
    'parcel_missing',
    'international',
    'provider_auth',
    'provider_insufficient_funds',
    'provider_rate_limited',
    'provider_error',
    'carrier_error',
    'outcome_unknown',
    'oversold',
    'payment_disputed',
    'crashes',
  ];
  t.deepEqual(Object.keys(reasons), codes);
  for (const code of codes) t.true(reasons[code].areas.includes('labels'), code);
  for (const code of codes) t.regex(adviceFor(code), /^[A-Z].+\. [A-Z].+\.$/);
  t.false(isReasonCode('duplicate_voided'));
});

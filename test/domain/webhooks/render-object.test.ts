import anyTest, { type TestFn } from 'ava';

import { read, transact } from '#src/database/transact.ts';
import { requestLabel } from '#src/domain/shipping/index.ts';
import { objectKinds, renderObjects } from '#src/domain/webhooks/render-object.ts';
import { sql } from '#src/lib/sql.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { type EventType, eventTypes } from '#src/outbox/events.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildReturn } from '#test/support/factories/returns.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint, receiverFor } from '#test/support/factories/webhooks.ts';

const test = (anyTest as TestFn<TestContext>).serial;
useContext(anyTest as TestFn<TestContext>);

type Delivery = Parameters<typeof renderObjects>[1][number];
const deliveryOf = (type: EventType, objectId: string) => ({ type, objectId }) as Delivery;

test('every kind of object is shown as its schema says, with one statement for each kind', async (t) => {
  const { ctx, services } = t.context;
  const [order, other] = [await buildPaidOrder(ctx), await buildPaidOrder(ctx)];
  await transact(ctx, (ctx) => requestLabel(ctx, { orderId: order.id }));
  const [label] = await read<{ id: string }>(ctx, sql`select id from labels where tenant_id = ${ctx.tenant.id}`);
  const ids: Record<string, string> = {
    order: order.id,
    subscription: (await buildSubscription(ctx)).id,
    label: label?.id ?? '',
    return: (await buildReturn(ctx)).id,
    webhook_endpoint: (await buildEndpoint(ctx, await receiverFor(t))).id,
  };
  const types = Object.keys(eventTypes) as EventType[];
  const deliveries = [
    ...types.map((type) => deliveryOf(type, ids[eventTypes[type]] ?? '')),
    deliveryOf('order.paid', other.id),
  ];

  const { result: objects, statements } = await countStatements(services, () => renderObjects(ctx, deliveries));

  t.is(statements.length, Object.keys(objectKinds).length);
  t.is(objects.size, 6);
  for (const [kind, { schema }] of Object.entries(objectKinds)) {
    const rendered = objects.get(ids[kind] ?? '');
    t.true(rendered && rendered.version >= 1, kind);
    t.deepEqual(issuesOf(schema, structuredClone(rendered?.object)), [], kind);
  }
});

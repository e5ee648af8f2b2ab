import { type TSchema, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { type EventObjectKind, eventTypes } from '#src/outbox/events.ts';
import type { Context } from '../context.ts';
import { OrderView, readOrders } from '../orders/index.ts';
import { presentReturn, readReturns, ReturnView } from '../returns/index.ts';
import { readSubscriptions, SubscriptionView } from '../subscriptions/index.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { presentEndpoint, WebhookEndpointView } from './present.ts';
import { readEndpoints } from './read-endpoints.ts';

/** What an event is about, as the API shows it. A higher version is a later state of the same object. */
export interface RenderedObject {
  readonly id: string;
  readonly version: number;
}

interface ObjectKind {
  readonly schema: TSchema;
  /** Every object of these ids that there is, with one statement. */
  read(ctx: Context, ids: readonly string[]): Promise<readonly RenderedObject[]>;
}

export const objectKinds: { readonly [Kind in EventObjectKind]?: ObjectKind } = {
  order: {
    schema: OrderView,
    read: (ctx, ids) => readOrders(ctx, sql`o.id = any(${ids})`, ids.length),
  },
  subscription: {
    schema: SubscriptionView,
    read: (ctx, ids) => readSubscriptions(ctx, sql`s.id = any(${ids})`, ids.length),
  },
  return: {
    schema: Type.Object({ ...ReturnView.properties, version: Type.Integer({ examples: [1] }) }),
    read: async (ctx, ids) => (await readReturns(ctx, ids)).map((row) => ({ ...presentReturn(row), version: row.version })),
  },
  webhook_endpoint: {
    schema: WebhookEndpointView,
    read: async (ctx, ids) => (await readEndpoints(ctx, ids)).map(presentEndpoint),
  },
};

/** The objects of these deliveries by id, as they are now: one statement for each kind, however many there are. */
export async function renderObjects(ctx: Context, deliveries: readonly ClaimedDelivery[]): Promise<ReadonlyMap<string, RenderedObject>> {
  const byKind = Map.groupBy(deliveries, ({ type }) => eventTypes[type]);
  const objects = await Promise.all([...byKind].map(([kind, deliveries]) => {
    const ids = [...new Set(deliveries.map(({ objectId }) => objectId))];
    return readKind(ctx, kind, ids);
  }));
  return new Map(objects.flat().map((object) => [object.id, object]));
}

async function readKind(ctx: Context, kind: EventObjectKind, ids: readonly string[]): Promise<readonly RenderedObject[]> {
  const known = objectKinds[kind];
  if (!known) throw new TypeError(`No webhook knows how to show a ${kind}.`);
  return known.read(ctx, ids);
}

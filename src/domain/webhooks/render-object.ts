import type { TSchema } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { type EventObjectKind, eventTypes, isKnownType } from '#src/outbox/events.ts';
import type { Context } from '../context.ts';
import { ErasedCustomerView } from '../customers/index.ts';
import { OrderView, readOrders } from '../orders/index.ts';
import { presentReturn, ReturnView, readReturns } from '../returns/index.ts';
import { LabelView, readLabels } from '../shipping/index.ts';
import { readSubscriptions, SubscriptionView } from '../subscriptions/index.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { presentEndpoint, readEndpoints, WebhookEndpointView } from './read-endpoints.ts';

/** The object of an event, as the API shows it. A higher version is a later state of the same object. */
export interface RenderedObject {
  readonly id: string;
  readonly version: number;
  readonly object: object;
}

interface ObjectKind {
  readonly schema: TSchema;
  /** Read the objects with these ids, as far as they exist, with at most one statement. */
  read(ctx: Context, ids: readonly string[]): Promise<readonly RenderedObject[]>;
}

export const objectKinds: Readonly<Record<EventObjectKind, ObjectKind>> = {
  order: {
    schema: OrderView,
    read: async (ctx, ids) => (await readOrders(ctx, sql`o.id = any(${ids})`, ids.length)).map(versioned),
  },
  subscription: {
    schema: SubscriptionView,
    read: async (ctx, ids) => (await readSubscriptions(ctx, sql`s.id = any(${ids})`, ids.length)).map(versioned),
  },
  label: {
    schema: LabelView,
    read: async (ctx, ids) => (await readLabels(ctx, ids)).map(versioned),
  },
  return: {
    schema: ReturnView,
    read: async (ctx, ids) => (await readReturns(ctx, ids)).map(presentReturn).map(versioned),
  },
  customer: {
    schema: ErasedCustomerView,
    read: async (_ctx, ids) => ids.map((id) => ({ id, version: lastVersion, object: { id, erased: true } })),
  },
  webhook_endpoint: {
    schema: WebhookEndpointView,
    read: async (ctx, ids) =>
      (await readEndpoints(ctx, ids)).map((endpoint) => versioned(presentEndpoint(ctx, endpoint))),
  },
};

/** Nothing follows an erasure: the highest integer of PostgreSQL. */
const lastVersion = 2_147_483_647;

/** For the kinds whose view includes their version. */
function versioned(object: { readonly id: string; readonly version: number }): RenderedObject {
  return { id: object.id, version: object.version, object };
}

/** The objects of these deliveries by id, as they are now: at most one statement for each kind of object. */
export async function renderObjects(
  ctx: Context,
  deliveries: readonly Pick<ClaimedDelivery, 'type' | 'objectId'>[],
): Promise<ReadonlyMap<string, RenderedObject>> {
  const known = deliveries.filter(({ type }) => isKnownType(type));
  const byKind = Map.groupBy(known, ({ type }) => eventTypes[type]);
  const objects = await Promise.all(
    [...byKind].map(([kind, deliveries]) => {
      const ids = [...new Set(deliveries.map(({ objectId }) => objectId))];
      return objectKinds[kind].read(ctx, ids);
    }),
  );
  return new Map(objects.flat().map((object) => [object.id, object]));
}

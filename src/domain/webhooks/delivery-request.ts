import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { type RenderedObject, renderObjects } from './render-object.ts';

/** The version of the body's format. A change that could break a receiver gets a new one. */
export const apiVersion = '2026-11-20';

/** The headers of every delivery, besides those of its signature. */
export const unsignedHeaders = { 'content-type': 'application/json', 'user-agent': 'Storefront-Webhooks/1.0' };

/** An event, as its deliveries send it. */
type SentEvent = Pick<ClaimedDelivery, 'eventId' | 'type' | 'objectId' | 'eventAt'>;

/**
 * The body that a receiver gets. It shows the object as it is at the time of the attempt, so bodies may arrive out of
 * order: the higher `object_version` is the later state.
 */
export function bodyOf(
  ctx: Context,
  { eventId, type, eventAt }: SentEvent,
  { object, version }: RenderedObject,
): string {
  return JSON.stringify({
    id: eventId,
    type,
    timestamp: eventAt.toISOString(),
    api_version: apiVersion,
    tenant: ctx.tenant.slug,
    livemode: ctx.settings.appMode === 'live',
    data: { object, object_version: version },
  });
}

/** A request as a delivery sends it, without its signature. */
export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a delivery would send now; `undefined` where its object no longer exists. */
export async function readDeliveryRequest(ctx: Context, deliveryId: string): Promise<DeliveryRequest | undefined> {
  const sent = await readOne<SentEvent & { url: string }>(
    ctx,
    sql`
    select w.url, e.id as "eventId", e.type, e.object_id as "objectId", e.created_at as "eventAt"
    from webhook_deliveries d
    join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
    join webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
    where d.tenant_id = ${ctx.tenant.id} and d.id = ${deliveryId}`,
  );
  const object = sent && (await renderObjects(ctx, [sent])).get(sent.objectId);
  if (!object) return undefined;
  const headers = { ...unsignedHeaders, 'webhook-id': sent.eventId };
  return { url: sent.url, headers, body: bodyOf(ctx, sent, object) };
}

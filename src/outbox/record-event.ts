import { fanOutEvent } from '#jobs/webhooks.ts';
import { newId } from '#src/lib/ids.ts';
import { enqueue } from './enqueue.ts';
import type { EventType } from './events.ts';
import type { OutboxContext } from './outbox-job.ts';

/** Record that something happened, in the transaction that makes it true, and promise to tell whoever listens. Answers the event's id. */
export function recordEvent(
  ctx: OutboxContext & { tenant: { id: string } },
  type: EventType,
  objectId: string,
): string {
  const event = { id: newId('evt'), tenantId: ctx.tenant.id, type, objectId, at: ctx.clock.now() };
  enqueue(ctx, fanOutEvent, { eventId: event.id });
  ctx.tx?.events.push(event);
  return event.id;
}

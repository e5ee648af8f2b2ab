import type { QueueName } from '#jobs/queues.ts';
import { fanOutEvent } from '#jobs/webhooks.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';

/** Insert many jobs of one store at once, due one after the other from `dueAt` on. Their keys are numbers from 1. */
export async function fillOutbox(
  services: Services,
  {
    store,
    count,
    dueAt,
    queue = 'webhooks',
    job = fanOutEvent.name,
  }: { store: string | null; count: number; dueAt: Date; queue?: QueueName; job?: string },
): Promise<void> {
  const prefix = newId('job');
  await services.execute(sql`
    insert into outbox (id, tenant_id, job, queue, key, payload, due_at, next_relay_at, trace)
    select ${prefix} || '_' || number, ${store}, ${job}, ${queue}::text, ${prefix} || ':' || number,
      jsonb_build_object('eventId', number::text), at, at, '{}'
    from generate_series(1, ${count}::int) number, lateral (
      select ${dueAt}::timestamptz + number * interval '1 microsecond' as at) due`);
}

import type { QueueName } from '#jobs/queues.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';

/**
 * Insert many jobs of one store at once, due one after the other, the last at `dueAt`.
 * @param given `payload`: an expression on `number`, which counts them from 1
 */
export async function fillOutbox(
  services: Services,
  {
    store,
    count,
    dueAt,
    queue = 'webhooks',
    job = drainEndpoint.name,
    payload = sql`jsonb_build_object('endpointId', number::text, 'causeId', 'test')`,
  }: { store: string | null; count: number; dueAt: Date; queue?: QueueName; job?: string; payload?: Sql },
): Promise<void> {
  const prefix = newId('job');
  await services.execute(sql`
    insert into outbox (id, tenant_id, job, queue, key, payload, due_at, next_relay_at, trace)
    select ${prefix} || '_' || number, ${store}, ${job}, ${queue}::text, ${prefix} || ':' || number,
      ${payload}, at, at, '{}'
    from generate_series(1, ${count}::int) number, lateral (
      select ${dueAt}::timestamptz - (${count} - number) * interval '1 microsecond' as at) due`);
}

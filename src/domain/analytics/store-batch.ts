import { write } from '#src/database/transact.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** An event in a stored batch. */
export interface StoredEvent {
  readonly id: string;
  readonly at: Date;
  readonly type: string;
  readonly session_id?: string | null | undefined;
  readonly anonymous_id?: string | null | undefined;
  readonly customer_id?: string | null | undefined;
  readonly order_id?: string | null | undefined;
  readonly cart_id?: string | null | undefined;
  readonly product_slug?: string | null | undefined;
  readonly variant_id?: string | null | undefined;
  readonly value_cents?: number | null | undefined;
  readonly currency?: string | null | undefined;
  readonly properties?: object | null | undefined;
}

/** The origin of a batch. */
export interface BatchHead {
  readonly receivedAt: Date;
  /** `ledger`: recorded by the service itself. */
  readonly source: 'client' | 'ledger';
  readonly bot: boolean;
  readonly visitor: string | null;
}

/** Store a batch as one row, until a worker aggregates it. */
export async function storeBatch(
  ctx: Context,
  { receivedAt, source, bot, visitor }: BatchHead,
  events: readonly StoredEvent[],
): Promise<void> {
  await write(
    ctx,
    sql`
    stored as (
      insert into analytics_batches (tenant_id, id, received_at, source, bot, visitor, event_count, events)
      values (${ctx.tenant.id}, ${newId('bat')}, ${receivedAt}, ${source}, ${bot}, ${visitor}, ${events.length},
        ${JSON.stringify(events)})
      returning 1)`,
    sql`select * from stored`,
  );
}

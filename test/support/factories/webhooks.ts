import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { createEndpoint, type EndpointInput, type WebhookEndpointView } from '#src/domain/webhooks/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

export interface BuiltEndpoint extends WebhookEndpointView {
  secret: string;
}

/** An endpoint at this receiver that chose every event of orders and subscriptions. */
export async function buildEndpoint(
  ctx: Context,
  receiver: Receiver,
  given: Partial<EndpointInput> = {},
): Promise<BuiltEndpoint> {
  const url = `${receiver.url}/${randomText(8)}`;
  const { endpoint, secret } = await createEndpoint(ctx, { url, events: ['order.*', 'subscription.*'], ...given });
  return { ...endpoint, secret };
}

/** Record several test events of an endpoint at once, with their jobs. Returns the ids of the events. */
export async function recordTests(ctx: Context, endpointId: string, count = 1): Promise<string[]> {
  return transact(ctx, async (ctx) =>
    Array.from({ length: count }, () => recordEvent(ctx, 'webhook.test', endpointId)),
  );
}

/** How many deliveries of an endpoint are in each state. */
export async function countStates(ctx: Context, endpointId: string): Promise<Record<string, number>> {
  const states = await read<{ state: string; count: number }>(
    ctx,
    sql`
    select state, count(*)::int as count from webhook_deliveries
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId}
    group by state`,
  );
  return Object.fromEntries(states.map(({ state, count }) => [state, count]));
}

/** A receiver that is closed with its test. */
export async function receiverFor(t: { teardown(close: () => Promise<void>): void }): Promise<Receiver> {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  return receiver;
}

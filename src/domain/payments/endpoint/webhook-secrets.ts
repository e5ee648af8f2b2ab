import { LRUCache } from 'lru-cache';
import { read } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import { sealedFields } from '../accounts/payment-account.ts';

/** For a few seconds only: a burst of deliveries does not read and open the same secrets each time. */
const cache = new LRUCache<string, readonly string[], Context>({
  max: 2000,
  ttl: seconds(5),
  fetchMethod: (_tenantId, _stale, { context }) => readSecrets(context),
});

/** Every signing secret that is accepted now. `fresh` skips the cache: a rotation may have just happened. */
export async function liveWebhookSecrets(ctx: Context, { fresh = false } = {}): Promise<readonly string[]> {
  return (await cache.fetch(ctx.tenant.id, { context: ctx, forceRefresh: fresh })) ?? [];
}

async function readSecrets(ctx: Context): Promise<readonly string[]> {
  const rows = await read<{ sealed: string }>(
    ctx,
    sql`
    select secret_sealed as sealed from payment_webhook_secrets
    where tenant_id = ${ctx.tenant.id}
      and (state = 'current' or (state = 'retiring' and retires_at > ${ctx.clock.now()}))
    order by created_at desc`,
  );
  return rows.map(({ sealed }) => ctx.keyring.open(ctx.tenant.id, sealedFields.webhookSecret, sealed));
}

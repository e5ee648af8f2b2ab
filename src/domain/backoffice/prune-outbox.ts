import { outboxRetention } from '#src/outbox/retention.ts';
import { auditRetention } from '../audit/index.ts';
import type { PlatformContext } from '../context.ts';
import { partnerRetention } from '../partners/index.ts';
import { removeExpired } from '../remove-expired.ts';

/** Delete expired outbox jobs, events, audit entries and partner visits, of all stores. */
export async function pruneOutbox(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, [...outboxRetention, ...auditRetention, ...partnerRetention]);
}

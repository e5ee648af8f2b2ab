import { LRUCache } from 'lru-cache';

import { agingBy, type Clock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { findTenant } from './find-tenant.ts';
import type { Tenant } from './tenant.ts';

/** Finds tenants, remembering them for a moment: a change is seen everywhere within `freshForMs`. */
export interface TenantDirectory {
  bySlug(slug: string): Promise<Tenant | undefined>;
  byId(id: string): Promise<Tenant | undefined>;
}

const freshForMs = seconds(1);

export function createTenantDirectory(ctx: PlatformContext): TenantDirectory {
  const bySlug = remember(ctx.clock, (slug) => findTenant(ctx, sql`slug = ${slug}`));
  const byId = remember(ctx.clock, (id) => findTenant(ctx, sql`id = ${id}`));
  return {
    bySlug: async (slug) => (await bySlug.fetch(slug))?.tenant,
    byId: async (id) => (await byId.fetch(id))?.tenant,
  };
}

/** Wrapped, so that "there is none" is remembered too. */
type Found = { tenant: Tenant | undefined };

function remember(clock: Clock, fetch: (key: string) => Promise<Tenant | undefined>): LRUCache<string, Found> {
  return new LRUCache({
    max: 10_000,
    ttl: freshForMs,
    ...agingBy(clock),
    fetchMethod: async (key) => ({ tenant: await fetch(key) }),
  });
}

import { LRUCache } from 'lru-cache';

import { seconds } from '#src/lib/duration.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { runOnPlatformTables } from '../database.ts';
import type { Tenant } from './tenant.ts';

/** Finds tenants, remembering them for a moment: a change is seen everywhere within `freshForMs`. */
export interface TenantDirectory {
  bySlug(slug: string): Promise<Tenant | undefined>;
  byId(id: string): Promise<Tenant | undefined>;
}

const freshForMs = seconds(1);

export function createTenantDirectory(ctx: PlatformContext): TenantDirectory {
  const bySlug = remember((slug) => find(ctx, sql`slug = ${slug}`));
  const byId = remember((id) => find(ctx, sql`id = ${id}`));
  return {
    bySlug: async (slug) => (await bySlug.fetch(slug))?.tenant,
    byId: async (id) => (await byId.fetch(id))?.tenant,
  };
}

/** Wrapped, so that "there is none" is remembered too. */
type Found = { tenant: Tenant | undefined };

function remember(fetch: (key: string) => Promise<Tenant | undefined>): LRUCache<string, Found> {
  return new LRUCache({ max: 10_000, ttl: freshForMs, fetchMethod: async (key) => ({ tenant: await fetch(key) }) });
}

async function find(ctx: PlatformContext, condition: Sql): Promise<Tenant | undefined> {
  const [tenant] = await runOnPlatformTables<Tenant>(ctx, sql`
    select id, slug, name, owner_email as "ownerEmail", currency, locale, timezone,
      storefront_url as "storefrontUrl", magic_link_path as "magicLinkPath", restore_path as "restorePath",
      allowed_origins as "allowedOrigins", mail_from as "mailFrom", theme, links, modules, version
    from tenants where ${condition}`);
  return tenant;
}

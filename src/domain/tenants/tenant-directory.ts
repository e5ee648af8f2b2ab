import { LRUCache } from 'lru-cache';
import { runOnPlatformTables } from '#src/database/transact.ts';
import { agingBy, type Clock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
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

/** The tenant that a condition on the columns of `tenants` names. */
export async function findTenant(ctx: PlatformContext, condition: Sql): Promise<Tenant | undefined> {
  const [tenant] = await runOnPlatformTables<Tenant>(ctx, sql`select ${tenantColumns} from tenants where ${condition}`);
  return tenant;
}

/** The columns of a `Tenant`, in its words. */
const tenantColumns = sql`id, slug, name, owner_email as "ownerEmail", currency, locale, timezone,
  storefront_url as "storefrontUrl", magic_link_path as "magicLinkPath", restore_path as "restorePath",
  allowed_origins as "allowedOrigins", requests_per_second as "requestsPerSecond",
  mail_from as "mailFrom", theme, links, modules, version`;

/** Every store of this installation by its slug, for the command line. */
export async function listTenants(ctx: PlatformContext): Promise<Tenant[]> {
  return runOnPlatformTables<Tenant>(ctx, sql`select ${tenantColumns} from tenants order by slug`);
}

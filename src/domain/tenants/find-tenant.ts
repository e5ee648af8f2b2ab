import { runOnPlatformTables } from '#src/database/transact.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import type { Tenant } from './tenant.ts';

/** The tenant that a condition on the columns of `tenants` names. */
export async function findTenant(ctx: PlatformContext, condition: Sql): Promise<Tenant | undefined> {
  const [tenant] = await runOnPlatformTables<Tenant>(ctx, sql`select ${tenantColumns} from tenants where ${condition}`);
  return tenant;
}

/** The columns of a `Tenant`, in its words. */
export const tenantColumns = sql`id, slug, name, owner_email as "ownerEmail", currency, locale, timezone,
  storefront_url as "storefrontUrl", magic_link_path as "magicLinkPath", restore_path as "restorePath",
  allowed_origins as "allowedOrigins", requests_per_second as "requestsPerSecond",
  mail_from as "mailFrom", theme, links, modules, version`;

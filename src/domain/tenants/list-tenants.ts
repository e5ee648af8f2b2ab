import { runOnPlatformTables } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { tenantColumns } from './find-tenant.ts';
import type { Tenant } from './tenant.ts';

/** Every store of this installation by its slug, for the command line. */
export async function listTenants(ctx: PlatformContext): Promise<Tenant[]> {
  return runOnPlatformTables<Tenant>(ctx, sql`select ${tenantColumns} from tenants order by slug`);
}

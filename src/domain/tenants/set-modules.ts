import { assignChanges } from '#src/lib/assign-changes.ts';
import { sql } from '#src/lib/sql.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';
import type { ModulesInput } from './store-input.ts';

/** Switch modules of a store on or off; those that are not named stay as they are. Operators alone do this. */
export async function setModules(ctx: InTransaction, input: ModulesInput): Promise<Change> {
  const modules = { ...ctx.tenant.modules };
  const fields = assignChanges(modules, input);
  if (fields.length > 0) {
    await ctx.tx.run(sql`
      update tenants set modules = ${JSON.stringify(modules)}, version = version + 1, updated_at = ${ctx.clock.now()}
      where id = ${ctx.tenant.id}`);
  }
  return { subject: `modules of ${ctx.tenant.slug}`, action: fields.length > 0 ? 'updated' : 'unchanged', fields };
}

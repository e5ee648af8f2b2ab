import { sql } from '#src/lib/sql.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';
import type { ModulesInput } from './store-input.ts';
import { type Modules, moduleNames } from './tenant.ts';

/** Switch modules of a store on or off; those that are not named stay as they are. Operators alone do this. */
export async function setModules(ctx: InTransaction, input: ModulesInput): Promise<Change> {
  const [store] = await ctx.tx.execute<{ modules: Modules }>(
    sql`select modules from tenants where id = ${ctx.tenant.id}`,
  );
  const fields = moduleNames.filter((name) => input[name] !== undefined && input[name] !== store?.modules[name]);
  if (fields.length > 0) {
    await ctx.tx.execute(sql`
      update tenants set modules = modules || ${JSON.stringify(input)}::jsonb, version = version + 1,
        updated_at = ${ctx.clock.now()}
      where id = ${ctx.tenant.id}`);
  }
  const values = Object.fromEntries(fields.map((name) => [name, [store?.modules[name], input[name]] as const]));
  return {
    subject: `modules of ${ctx.tenant.slug}`,
    action: fields.length > 0 ? 'updated' : 'unchanged',
    fields,
    values,
  };
}

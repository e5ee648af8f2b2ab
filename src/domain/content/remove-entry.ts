import { indexDocument } from '#jobs/search.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';

export async function removeEntry(ctx: InTransaction, { type, slug }: { type: string; slug: string }): Promise<Change> {
  const [removed] = await ctx.tx.execute<{ id: string; version: number }>(sql`
    delete from entries where tenant_id = ${ctx.tenant.id} and type = ${type} and slug = ${slug}
    returning id, version + 1 as version`);
  if (removed) enqueue(ctx, indexDocument, { kind: 'content', ...removed });
  return { subject: `content ${type}/${slug}`, action: removed ? 'removed' : 'unchanged', fields: [] };
}

import { writeExport } from '#jobs/bulk.ts';
import { transact } from '#src/database/transact.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import type { ExportFormat, ExportKind, ExportRange } from './export-kind.ts';

/** Enqueue an export. @returns its id */
export async function requestExport(
  ctx: Context,
  { kind, format, ...range }: { kind: ExportKind; format: ExportFormat } & ExportRange,
): Promise<string> {
  const id = newId('exp');
  const requestedBy = { kind: ctx.actor.kind, id: ctx.actor.id };
  await transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      insert into bulk_operations (tenant_id, id, type, kind, format, options, state, requested_by, created_at)
      values (${ctx.tenant.id}, ${id}, 'export', ${kind.name}, ${format}, ${JSON.stringify(range)}::jsonb, 'queued',
        ${JSON.stringify(requestedBy)}::jsonb, ${ctx.clock.now()})`);
    enqueue(ctx, writeExport, { operationId: id });
    const after = { kind: kind.name, format, ...range };
    await recordAudit(ctx, { action: 'export.requested', subjectKind: 'export', subjectId: id, after });
  });
  return id;
}

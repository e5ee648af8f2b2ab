import { writeExport } from '#jobs/bulk.ts';
import { transact } from '#src/database/transact.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { rejectReversed } from '#src/lib/reject-reversed.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { type ExportFormat, type ExportKind, type ExportRange, isWrittenAs } from './export-kind.ts';
import { insertOperation } from './operation.ts';

/**
 * Enqueue an export.
 * @returns its id
 * @throws DomainError `invalid_request` for a format that the kind does not have or a range that ends before it begins,
 *   `rate_limited`
 */
export async function requestExport(
  ctx: Context,
  { kind, format, ...range }: { kind: ExportKind; format: ExportFormat } & ExportRange,
): Promise<string> {
  if (!isWrittenAs(kind, format)) throw invalidRequest(`${kind.name} cannot be exported as ${format}.`);
  rejectReversed(['from', range.from], ['to', range.to]);
  return transact(ctx, async (ctx) => {
    const id = await insertOperation(ctx, 'exp', {
      type: 'export',
      kind: kind.name,
      format,
      options: { ...range },
      state: 'queued',
    });
    enqueue(ctx, writeExport, { operationId: id });
    const after = { kind: kind.name, format, ...range };
    await recordAudit(ctx, { action: 'export.requested', subjectKind: 'export', subjectId: id, after });
    return id;
  });
}

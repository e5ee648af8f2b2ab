import { exportDataSubject as exportDataSubjectJob } from '#jobs/privacy.ts';
import { transact } from '#src/database/transact.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { ManualActionRequired } from '#src/lib/errors.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import { type FileParts, insertOperation, type Operation, personalDataKind, writeExport } from '../bulk/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { nameInLog } from '../name-in-log.ts';
import { findDataSubject } from './find-data-subject.ts';
import { personalData } from './registry.ts';

/**
 * Enqueue an export of everything that is stored about an email address. The audit log records it, without the address.
 * @returns its id
 * @throws DomainError `rate_limited`
 */
export async function requestPersonalExport(ctx: Context, { email: address }: { email: string }): Promise<string> {
  const email = normaliseEmail(address);
  return transact(ctx, async (ctx) => {
    const operation = {
      type: 'export',
      kind: personalDataKind,
      format: 'jsonl',
      options: {},
      state: 'queued',
    } as const;
    const operationId = await insertOperation(ctx, 'exp', { ...operation, filter: { email } });
    enqueue(ctx, exportDataSubjectJob, { operationId });
    const subject = { subjectKind: 'person', subjectId: nameInLog(ctx, email) };
    await recordAudit(ctx, { action: 'person.exported', ...subject, after: { export: operationId } });
    return operationId;
  });
}

/** Write the file of such an export: a line of JSON for each row, with the name of its part. */
export async function exportDataSubject(ctx: Context, payload: { operationId: string }): Promise<void> {
  await writeExport(ctx, payload, linesOf);
}

async function* linesOf(ctx: InTransaction, { filter }: Operation): FileParts {
  const email = filter?.['email'];
  if (typeof email !== 'string')
    throw new ManualActionRequired('The person was erased meanwhile: there is nothing left.');
  const subject = await findDataSubject(ctx, email);
  for (const { name: part, find } of personalData) {
    const rows = await find(ctx, subject);
    yield { text: rows.map((data) => `${JSON.stringify({ part, data })}\n`).join(''), rows: rows.length };
  }
}

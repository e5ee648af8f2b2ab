import { transact } from '#src/database/transact.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { nameInLog } from '../name-in-log.ts';
import { findDataSubject } from './find-data-subject.ts';
import { personalData } from './registry.ts';

/** Everything that is stored about one email address. */
export interface PersonalExport {
  readonly email: string;
  /** The rows by table. Tables without any are left out. */
  readonly held: Readonly<Record<string, readonly object[]>>;
}

/**
 * Collect everything that the store has about an email address, for its owner. The audit log records the export,
 * without the address.
 *
 * @param onPart is called with the name of each part before it is read
 */
export async function exportPersonalData(
  ctx: Context,
  { email: address }: { email: string },
  onPart: (part: string) => void = () => undefined,
): Promise<PersonalExport> {
  return transact(ctx, async (ctx) => {
    const dataSubject = await findDataSubject(ctx, address);
    const held: Record<string, readonly object[]> = {};
    for (const { name, find } of personalData) {
      onPart(name);
      const rows = await find(ctx, dataSubject);
      if (rows.length > 0) held[name] = rows;
    }
    const subject = { subjectKind: 'person', subjectId: nameInLog(ctx, dataSubject.email) };
    await recordAudit(ctx, { action: 'person.exported', ...subject, after: { parts: Object.keys(held) } });
    return { email: dataSubject.email, held };
  });
}

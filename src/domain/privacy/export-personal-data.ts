import { transact } from '#src/database/transact.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { nameInLog } from '../name-in-log.ts';
import { findDataSubject } from './find-data-subject.ts';
import { personalData } from './registry.ts';

/** Everything that is held about one address. */
export interface PersonalExport {
  readonly email: string;
  /** Rows by what they are rows of; what there are none of is left out. */
  readonly held: Readonly<Record<string, readonly object[]>>;
}

/**
 * Gather everything that the store holds about an address, for the person whose it is. That it was asked for is
 * written into the audit log, without the address.
 *
 * @param onPart is called with the name of each part before it is looked through
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

import { type OpenBusiness, readOpenBusiness } from '#src/domain/backoffice/index.ts';
import type { Change } from '#src/domain/change.ts';
import type { ApplyRun } from './section.ts';

/** Say what is in progress at a provider, where its key was replaced: another account does not know of it. */
export async function noteAnotherAccount(
  { ctx, note }: ApplyRun,
  { subject, action, fields }: Change,
  key: string,
  describe: (open: OpenBusiness) => string[],
): Promise<void> {
  if (action !== 'updated' || !fields.includes(key)) return;
  const open = describe(await readOpenBusiness(ctx));
  if (open.length === 0) return;
  note(
    `If the new ${key} of ${subject} is of another account, this store no longer learns what becomes of ` +
      `${open.join(', ')}.`,
  );
}

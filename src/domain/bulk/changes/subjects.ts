import { read } from '#src/database/transact.ts';
import type { Context } from '../../context.ts';
import type { ChangeKind } from './change-kind.ts';

/** What the owner calls the things with these ids, by their ids. An unknown id is missing. */
export async function subjectsOf(
  ctx: Context,
  { subjects }: Pick<ChangeKind, 'subjects'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await read<{ id: string; subject: string }>(ctx, subjects(ctx, ids));
  return new Map(rows.map(({ id, subject }) => [id, subject]));
}

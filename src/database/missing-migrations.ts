import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';

import { sql } from '#src/lib/sql.ts';
import type { Execute } from '#src/outbox/job-state.ts';

export const migrationsFolder = new URL('../../migrations/', import.meta.url);

/** The migrations of this release that were not applied, in their order. Those of a newer release do not matter. */
export async function missingMigrations(execute: Execute): Promise<string[]> {
  const files = await readdir(migrationsFolder);
  const names = files.filter((file) => file.endsWith('.ts')).map((file) => basename(file, '.ts'));
  const [table] = await execute<{ exists: boolean }>(sql`select to_regclass('migrations') is not null as exists`);
  const applied = table?.exists ? await execute<{ name: string }>(sql`select name from migrations`) : [];
  const isApplied = new Set(applied.map(({ name }) => name));
  return names.filter((name) => !isApplied.has(name)).toSorted();
}

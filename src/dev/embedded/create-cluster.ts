import { appendFileSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { PostgresPrograms } from './postgres-programs.ts';
import type { Supervisor } from './supervise.ts';
import type { Account } from './unprivileged-account.ts';

/**
 * Has initdb make an empty database cluster in the service's folder, with all settings but the port
 * in its own configuration. Answers where it is.
 */
export async function createCluster(
  supervisor: Supervisor,
  { initdb }: PostgresPrograms,
  options: { adminPassword: string; durable: boolean; oldest: boolean; account?: Account | undefined },
): Promise<string> {
  const { adminPassword, durable, oldest, account } = options;
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
      // Sorts by code point but knows the letters of every language, on whichever machine.
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
    settings(durable, oldest)
      .map((setting) => `${setting.replace('=', " = '")}'\n`)
      .join(''),
  );
  return data;
}

function settings(durable: boolean, oldest: boolean): string[] {
  const always = [
    'listen_addresses=127.0.0.1',
    // Nothing outside the private folder: no socket in /tmp, no segment in /dev/shm.
    'unix_socket_directories=',
    'dynamic_shared_memory_type=mmap',
    'max_connections=300',
    'shared_buffers=128MB',
    'jit=off',
    // A random password needs no stretching, and tests connect often.
    ...(oldest ? [] : ['scram_iterations=1']),
  ];
  if (durable) return always;
  return [...always, 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=256MB'];
}

import { randomBytes } from 'node:crypto';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

import { onFreePort } from './free-port.ts';
import { type PostgresPrograms, postgresPrograms } from './postgres-programs.ts';
import { type Command, type Supervisor, supervise } from './supervise.ts';
import { type Account, unprivilegedAccount } from './unprivileged-account.ts';

export interface EmbeddedPostgres {
  /** Database `storefront` as its ordinary owner. */
  url: string;
  /** The same database as superuser. For setting up and looking in, never for the product. */
  adminUrl: string;
  port: number;
  /** Restarts the server on the same port with the same data, ending all connections. */
  restart(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/** Not listening yet, hung up on, and "the database system is starting up". */
const startingCodes = new Set<unknown>(['ECONNREFUSED', 'ECONNRESET', '57P03']);

/**
 * Starts a PostgreSQL of our own in `folder/postgres` on a free loopback port. With `durable` it
 * commits to disk as in production; otherwise it forgets what a crash of the machine would lose.
 * It ends with this process, in whose environment PGHOST and the like are no longer set.
 */
export async function startPostgres(options: { folder: string; durable?: boolean }): Promise<EmbeddedPostgres> {
  forgetPostgresVariables();
  const account = unprivilegedAccount();
  const supervisor = supervise(options.folder, 'postgres');
  try {
    return await start(supervisor, options.durable ?? false, account);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

async function start(supervisor: Supervisor, durable: boolean, account?: Account): Promise<EmbeddedPostgres> {
  const programs = await postgresPrograms(supervisor, account);
  const adminPassword = newPassword();
  const data = await createCluster(supervisor, programs, { adminPassword, durable, account });

  const addressOf = (port: number, user: string, password: string, database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  const serve = (port: number) => {
    const command: Command = {
      program: programs.postgres,
      args: ['-D', data, '-p', String(port)],
      account,
      stopSignal: 'SIGQUIT',
    };
    return supervisor.serve(command, () => accepts(addressOf(port, 'postgres', adminPassword, 'postgres')));
  };

  const port = await onFreePort(serve);
  const password = newPassword();
  await query(addressOf(port, 'postgres', adminPassword, 'postgres'), [
    `create role storefront login nosuperuser nobypassrls createdb password '${password}'`,
    'create database storefront owner storefront',
  ]);

  return {
    url: addressOf(port, 'storefront', password, 'storefront'),
    adminUrl: addressOf(port, 'postgres', adminPassword, 'storefront'),
    port,
    async restart() {
      await supervisor.interrupt('SIGINT');
      await serve(port);
    },
    stop: supervisor.stop,
  };
}

async function createCluster(
  supervisor: Supervisor,
  { initdb }: PostgresPrograms,
  options: { adminPassword: string; durable: boolean; account: Account | undefined },
): Promise<string> {
  const { account, adminPassword, durable } = options;
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
      '--locale-provider=builtin',
      '--no-sync',
      '--no-instructions',
      ...settings(durable).map((setting) => `--set=${setting}`),
    ],
    account,
  });
  return data;
}

function settings(durable: boolean): string[] {
  const always = [
    'listen_addresses=127.0.0.1',
    // Nothing outside the private folder: no socket in /tmp, no segment in /dev/shm.
    'unix_socket_directories=',
    'dynamic_shared_memory_type=mmap',
    'max_connections=300',
    'shared_buffers=128MB',
    'jit=off',
    // A random password needs no stretching, and tests connect often.
    'scram_iterations=1',
  ];
  if (durable) return always;
  return [...always, 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=256MB'];
}

async function accepts(url: string): Promise<boolean> {
  try {
    await query(url, ['select 1']);
    return true;
  } catch (error) {
    const isStarting = error instanceof Error && 'code' in error && startingCodes.has(error.code);
    if (!isStarting) throw error;
    return false;
  }
}

async function query(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * PGHOST, PGSSLMODE, PGOPTIONS speak of another server, and the client would mix them with the
 * addresses given out here; in our children too, so they are dropped rather than overruled.
 */
function forgetPostgresVariables(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('PG')) delete process.env[name];
  }
}

function newPassword(): string {
  return randomBytes(16).toString('hex');
}

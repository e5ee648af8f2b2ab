import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { codeOf } from '#src/lib/errors.ts';

import { onFreePort } from './free-port.ts';
import { type ClusterOptions, createCluster, postgresPrograms, unprivilegedAccount } from './postgres-cluster.ts';
import { type Account, type Command, type Supervisor, supervise } from './supervise.ts';

export interface EmbeddedPostgres {
  /** The database as its ordinary owner, who may create no other. */
  url: string;
  /** The same database as superuser. For setup and inspection, never for the product. */
  adminUrl: string;
  port: number;
  /** Restarts the server on the same port with the same data, ending all connections. */
  restart(options?: RestartOptions): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

export interface RestartOptions {
  /** SIGINT ends it in order; SIGQUIT as a crash does, so that it recovers from its log. Default: SIGINT. */
  readonly signal?: 'SIGINT' | 'SIGQUIT';
  /** Done before it is started again. */
  readonly whileDown?: () => Promise<unknown>;
}

/** Both need quotes in SQL and an escape in a URL, so that any name of a hosting provider works, too. */
const databaseName = 'd7 üç$f9';
const ownerName = 'rôle-9 a@b';

const responseTimeoutMs = 30_000;

/** Not listening yet, connection closed, and "the database system is starting up". */
const startingCodes = new Set(['ECONNREFUSED', 'ECONNRESET', '57P03']);

/**
 * Starts a PostgreSQL of our own in `folder/postgres` on a free loopback port. With `durable` it
 * commits to disk as in production; otherwise a crash of the machine loses data.
 * It ends with this process, in whose environment PGHOST and the like are no longer set.
 */
export async function startPostgres({
  folder,
  durable = false,
  oldest = false,
  autovacuum = true,
}: { folder: string } & Partial<ClusterOptions>): Promise<EmbeddedPostgres> {
  clearPostgresVariables();
  const account = unprivilegedAccount();
  const supervisor = supervise(folder, 'postgres');
  try {
    return await start(supervisor, { durable, oldest, autovacuum }, account);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

async function start(supervisor: Supervisor, options: ClusterOptions, account?: Account): Promise<EmbeddedPostgres> {
  const programs = await postgresPrograms(supervisor, { account, oldest: options.oldest });
  const adminPassword = newPassword();
  const data = await createCluster(supervisor, programs, { ...options, adminPassword, account });

  const urlOf = (port: number, user: string, password: string, database: string) =>
    `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}/${encodeURI(database)}`;
  const serve = (port: number) => {
    const command: Command = {
      program: programs.postgres,
      args: ['-D', data, '-p', String(port)],
      account,
      stopSignal: 'SIGQUIT',
    };
    return supervisor.serve(command, () => accepts(urlOf(port, 'postgres', adminPassword, 'postgres')));
  };

  const { port } = await onFreePort(serve);
  const password = `${newPassword()}@:/%?#`;
  const owner = pg.escapeIdentifier(ownerName);
  await query(urlOf(port, 'postgres', adminPassword, 'postgres'), [
    `create role ${owner} login nosuperuser nobypassrls nocreatedb password ${pg.escapeLiteral(password)}`,
    `create database ${pg.escapeIdentifier(databaseName)} owner ${owner}`,
  ]);

  return {
    url: urlOf(port, ownerName, password, databaseName),
    adminUrl: urlOf(port, 'postgres', adminPassword, databaseName),
    port,
    async restart({ signal = 'SIGINT', whileDown } = {}) {
      await supervisor.interrupt(signal);
      await whileDown?.();
      await serve(port);
    },
    stop: supervisor.stop,
  };
}

async function accepts(url: string): Promise<boolean> {
  try {
    await query(url, ['select 1']);
    return true;
  } catch (error) {
    const isStarting = error instanceof Error && startingCodes.has(codeOf(error));
    if (!isStarting) throw error;
    return false;
  }
}

async function query(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: responseTimeoutMs,
    query_timeout: responseTimeoutMs,
  });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * PGHOST, PGSSLMODE and PGOPTIONS are for another server, and clients would combine them with the URLs
 * of this one; those of child processes too, so they are deleted rather than overridden.
 */
function clearPostgresVariables(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('PG')) delete process.env[name];
  }
}

function newPassword(): string {
  return randomBytes(16).toString('hex');
}

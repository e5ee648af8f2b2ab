import type { Writable } from 'node:stream';
import { defineConfig, type EntityName, MikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import pg from 'pg';

import type { Database } from '#src/database/connections.ts';
import { seconds } from '#src/lib/duration.ts';
import type { Log } from '#src/lib/log.ts';
import type { Execute } from '#src/outbox/job-state.ts';
import { parsePostgresUrl } from './postgres-url.ts';
import { PreparedDriver } from './prepared-driver.ts';
import { createReplica } from './replica.ts';
import { limitQuery, responseMarginMs } from './run-statement.ts';
import { configureSession, type SessionSettings } from './session-settings.ts';

/** How long a statement may run, and a transaction may be idle, before PostgreSQL ends it. */
const statementTimeoutMs = seconds(15);
/** On the reserved connection, which only runs what takes no time. */
const apartTimeoutMs = seconds(2);

/**
 * Where PostgreSQL expects a statement to be expensive it would compile it first, which takes longer than any of ours.
 * All other settings of the planner are the server's. Memory for sorting (`work_mem`) is, too: pages are short, and the
 * aggregation of analytics, which sorts much, sets its own.
 *
 * The other settings let PostgreSQL notice within a minute that the other end of a connection is gone. By default it
 * takes two hours, in which each such connection counts against its limit.
 */
const settings: SessionSettings = {
  jit: 'off',
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
};

export interface DatabaseOptions {
  url: string;
  readUrl?: string | undefined;
  poolMax: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  entities: readonly EntityName[];
  log: Log;
  wakeRelay: () => void;
}

export interface OpenDatabase extends Database {
  /** Run a statement on the reserved connection, so that it never waits for the pool. */
  readonly executeApart: Execute;
  close(): Promise<void>;
}

const acceptsChanges = `select current_setting('transaction_read_only') = 'off' as "acceptsChanges"`;

/** Connect lazily: nothing is sent before the first statement. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const pool = openPool(options.url, options);
  const readPool = options.readUrl ? openPool(options.readUrl, options) : undefined;
  const probe = openPool(options.url, { ...options, poolMax: 1 }, apartTimeoutMs);
  let probing: Promise<boolean> | undefined;
  let orm: MikroORM | undefined;
  return {
    get orm() {
      return (orm ??= createOrm(pool, options.entities));
    },
    pool,
    replica: readPool && createReplica({ primary: pool, replica: readPool, log: options.log }),
    wakeRelay: options.wakeRelay,
    executeApart: async ({ text, values }) => (await probe.query(text, [...values])).rows,
    answers() {
      // Requests depend on whether the pool gets a connection where it has none, and then nothing waits in it.
      probing ??= (pool.totalCount === 0 ? pool : probe)
        .query<{ acceptsChanges: boolean }>(limitQuery({ text: acceptsChanges }, apartTimeoutMs))
        .then(
          ({ rows: [server] }) => server?.acceptsChanges === true,
          () => false,
        )
        .finally(() => (probing = undefined));
      return probing;
    },
    async close() {
      await orm?.close(true);
      if (!pool.ended) await pool.end();
      if (!probe.ended) await probe.end();
      await readPool?.end();
    },
  };
}

/** Takes tens of milliseconds, so that a command which needs no entity does without it. */
function createOrm(pool: pg.Pool, entities: readonly EntityName[]): MikroORM {
  // Not `init`, which looks for extensions and loads the migrator into every process.
  return new MikroORM(
    defineConfig({
      driver: PreparedDriver,
      entities: [...entities],
      // MikroORM requires a name, although the pool alone decides where it connects. With the name it would check
      // during the first request that such a database exists, and create one.
      dbName: 'unused',
      driverOptions: new PostgresDialect({ pool }),
      ensureDatabase: false,
      // Together, their values would stand in the text, and their versions be compared by a statement before.
      useBatchUpdates: false,
    }),
  );
}

function openPool(
  url: string,
  { poolMax, applicationName, log }: DatabaseOptions,
  timeoutMs = statementTimeoutMs,
): pg.Pool {
  const pool = new pg.Pool({
    ...parsePostgresUrl(url),
    pipeline: true,
    max: poolMax,
    application_name: applicationName,
    // Where PostgreSQL cannot end a statement because the connection is half-open, we end the connection.
    query_timeout: timeoutMs + responseMarginMs,
    onConnect: configureSession({
      ...settings,
      statement_timeout: timeoutMs,
      idle_in_transaction_session_timeout: timeoutMs * 2,
    }),
    types: columnTypes(),
  });
  pool.on('error', (error) => log.warn({ err: error.message }, 'idle database connection lost'));
  // One that is lost while it is used fails its statement; without a listener it would end the process besides.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug({ err: error.message }, 'database connection lost'));
    sendTogether(client.connection.stream);
  });
  return pool;
}

/**
 * From now on, what is written to this stream in one turn of the event loop is handed to the operating system at once:
 * BEGIN with the first statement of a transaction, and its last statements with COMMIT.
 */
function sendTogether(stream: Writable): void {
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  let isCorked = false;
  stream.write = (...given: unknown[]) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return write(...given);
  };
}

/** 64-bit integers are only amounts and counts, far below the largest integer that a double represents exactly. */
function columnTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  return types as pg.CustomTypesConfig;
}

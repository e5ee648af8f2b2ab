import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

import { onFreePort } from '#src/dev/embedded/free-port.ts';
import { postgresPrograms, unprivilegedAccount } from '#src/dev/embedded/postgres-cluster.ts';
import type { Embedded } from '#src/dev/embedded/start-embedded.ts';
import { supervise } from '#src/dev/embedded/supervise.ts';

/** A streaming replica of an embedded PostgreSQL. */
export interface StartedReplica {
  readonly url: string;
  /** Run a statement as superuser, such as `select pg_wal_replay_pause()`. */
  administer(statement: string): Promise<void>;
  /** End it as a crash does, and start it again. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplica(
  { folder, databaseUrl, databaseAdminUrl }: Pick<Embedded, 'folder' | 'databaseUrl' | 'databaseAdminUrl'>,
  name = 'replica',
): Promise<StartedReplica> {
  const account = unprivilegedAccount();
  const supervisor = supervise(folder, name);
  const { postgres } = await postgresPrograms(supervisor, { account });
  const data = join(supervisor.folder, 'data');
  const label = await copyData(databaseAdminUrl, () =>
    supervisor.run({ program: 'cp', args: ['-a', join(folder, 'postgres', 'data'), data] }),
  );
  await writeFile(join(data, 'backup_label'), label);
  await writeFile(join(data, 'standby.signal'), '');
  await supervisor.run({ program: 'rm', args: ['-f', join(data, 'postmaster.pid')] });
  await appendFile(
    join(data, 'postgresql.conf'),
    `primary_conninfo = '${databaseAdminUrl}'\nwal_retrieve_retry_interval = 100\n`,
  );
  if (account) {
    await supervisor.run({ program: 'chown', args: ['-R', `${account.uid}:${account.gid}`, supervisor.folder] });
  }

  const on = (url: string, port: number) => Object.assign(new URL(url), { port: String(port) }).href;
  const serve = (port: number) =>
    supervisor.serve(
      { program: postgres, args: ['-D', data, '-p', String(port)], account, stopSignal: 'SIGQUIT' },
      () =>
        run(on(databaseAdminUrl, port), 'select 1').then(
          () => true,
          () => false,
        ),
    );
  const { port } = await onFreePort(serve);
  return {
    url: on(databaseUrl, port),
    administer: (statement) => run(on(databaseAdminUrl, port), statement),
    kill: () => supervisor.interrupt('SIGQUIT'),
    start: () => serve(port),
    stop: supervisor.stop,
  };
}

/** Copy the files of a running server, as a base backup. @returns what tells the copy where to begin */
async function copyData(adminUrl: string, copy: () => Promise<void>): Promise<string> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  try {
    await client.query(`select pg_backup_start('replica', true)`);
    await copy();
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    return rows[0]?.labelfile ?? '';
  } finally {
    await client.end();
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

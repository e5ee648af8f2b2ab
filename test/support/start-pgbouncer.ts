import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import { onFreePort } from '#src/dev/embedded/free-port.ts';
import { ensurePgBouncer } from '#src/dev/embedded/programs.ts';
import { supervise } from '#src/dev/embedded/supervise.ts';

/** Quoted as in PgBouncer's settings. */
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Starts a PgBouncer before this database. Its URL stands for that of the database. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: 'session' | 'transaction' = 'session',
): Promise<{ url: string; stop(): Promise<void> }> {
  const program = await ensurePgBouncer();
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const database = [
    `host=${hostname} port=${port} dbname=${quoted(decodeURIComponent(pathname.slice(1)))}`,
    `user=${quoted(decodeURIComponent(username))}`,
    // An empty one is a syntax error.
    ...(password ? [`password=${quoted(decodeURIComponent(password))}`] : []),
  ].join(' ');
  const supervisor = supervise(mkdtempSync(join(tmpdir(), 'storefront-pooler-')), 'pgbouncer');
  const file = join(supervisor.folder, 'pgbouncer.ini');
  const urlOf = (listenPort: number) => `postgres://anybody:any@127.0.0.1:${listenPort}/shop?connect_timeout=60`;

  const { port: listenPort } = await onFreePort((candidate) => {
    const settings = [
      '[databases]',
      `shop = ${database}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${candidate}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${mode}`,
      'default_pool_size = 20',
    ];
    writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o600 });
    // It does not run as root.
    const args = process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file];
    return supervisor.serve({ program, args, stopSignal: 'SIGTERM' }, () => accepts(urlOf(candidate)));
  });
  return { url: urlOf(listenPort), stop: supervisor.stop };
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

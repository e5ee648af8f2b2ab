import { unpackDebianPackage } from './debian-package.ts';
import { findProgram, versionOf } from './find-program.ts';

/*
 * Programs that npm does not install: this machine's, else Debian's, unpacked but not installed. Each function throws
 * with the one command that would install the program.
 */

/** A program that this machine lacks and that could not be unpacked; the message has the command that installs it. */
export class MissingProgramError extends Error {
  override name = 'MissingProgramError';

  constructor(program: string, install: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message.trim() : String(cause);
    const message = `No ${program} is in PATH, and Debian's could not be unpacked (${reason}). Install it with:`;
    super(`${message}\n\n  ${install}\n`, { cause });
  }
}

export interface PostgresClient {
  pgDump: string;
  pgRestore: string;
}

/** pg_dump and pg_restore work with servers of their own version and older ones. */
const postgresClientMajor = 15;
const postgresPrograms = 'usr/lib/postgresql/*/bin';

/** A Redis or Valkey server of version 6.2 or newer. */
export async function ensureRedis(): Promise<string> {
  for (const name of ['redis-server', 'valkey-server']) {
    const program = findProgram([name]);
    if (program && (await isRecentRedis(program))) return program;
  }
  try {
    const program = await unpackDebianPackage('redis-server', 'usr/bin/redis-server');
    if (await isRecentRedis(program)) return program;
    throw new Error("Debian's redis-server is older than 6.2");
  } catch (cause) {
    const install = process.platform === 'darwin' ? 'brew install redis' : aptInstall('redis-server');
    throw new MissingProgramError('redis-server or valkey-server (6.2 or newer)', install, cause);
  }
}

/** PostgreSQL's backup programs. */
export async function ensurePostgresClient(): Promise<PostgresClient> {
  const [pgDump, pgRestore] = [findProgram(['pg_dump']), findProgram(['pg_restore'])];
  if (pgDump && pgRestore && (await isRecentClient(pgDump)) && (await isRecentClient(pgRestore))) {
    return { pgDump, pgRestore };
  }
  try {
    return {
      pgDump: await unpackDebianPackage('postgresql-client', `${postgresPrograms}/pg_dump`, 'pg_dump'),
      pgRestore: await unpackDebianPackage('postgresql-client', `${postgresPrograms}/pg_restore`, 'pg_restore'),
    };
  } catch (cause) {
    throw new MissingProgramError(`pg_dump ${postgresClientMajor} or newer`, aptInstall('postgresql-client'), cause);
  }
}

/** PgBouncer, a pooler of connections to PostgreSQL. */
export async function ensurePgBouncer(): Promise<string> {
  const found = findProgram(['pgbouncer']);
  if (found) return found;
  try {
    return await unpackDebianPackage('pgbouncer', 'usr/sbin/pgbouncer');
  } catch (cause) {
    throw new MissingProgramError('PgBouncer', aptInstall('pgbouncer'), cause);
  }
}

/**
 * A Chromium for browser tests: `CHROMIUM_PATH`, the first one in PATH, or Debian's (some 350 MB, once). The one without
 * windows comes first: it does a fifth less.
 */
export async function ensureChromium(): Promise<string> {
  const windowless = 'chromium-headless-shell';
  const found = process.env.CHROMIUM_PATH || findProgram([windowless, 'chromium', 'chromium-browser', 'google-chrome']);
  if (found) return found;
  try {
    return await unpackDebianPackage(windowless, `usr/lib/chromium/${windowless}`);
  } catch (cause) {
    throw new MissingProgramError('Chromium', aptInstall(windowless), cause);
  }
}

async function isRecentRedis(program: string): Promise<boolean> {
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec((await versionOf(program)) ?? '') ?? [];
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 2);
}

async function isRecentClient(program: string): Promise<boolean> {
  const [, major] = /(\d+)/.exec((await versionOf(program)) ?? '') ?? [];
  return Number(major) >= postgresClientMajor;
}

/** The command that installs a Debian package on this machine. */
function aptInstall(name: string): string {
  const asRoot = process.getuid?.() === 0 ? '' : 'sudo ';
  return `${asRoot}apt-get install --yes --no-install-recommends ${name}`;
}

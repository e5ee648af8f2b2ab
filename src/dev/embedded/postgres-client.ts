import { unpackDebianPackage } from './debian-package.ts';
import { findProgram, versionOf } from './find-program.ts';
import { aptInstall, MissingProgramError } from './missing-program-error.ts';

/** What backs a database up, and brings it back. */
export interface PostgresClient {
  pgDump: string;
  pgRestore: string;
}

const folder = 'usr/lib/postgresql/*/bin';
/** They read servers of their own version and older ones. */
const oldestVersion = 15;

/** PostgreSQL's own backup programs: this machine's, else Debian's, unpacked but not installed. */
export async function ensurePostgresClient(): Promise<PostgresClient> {
  const [pgDump, pgRestore] = [findProgram(['pg_dump']), findProgram(['pg_restore'])];
  if (pgDump && pgRestore && (await isRecent(pgDump)) && (await isRecent(pgRestore))) return { pgDump, pgRestore };
  try {
    return {
      pgDump: await unpackDebianPackage('postgresql-client', `${folder}/pg_dump`, 'pg_dump'),
      pgRestore: await unpackDebianPackage('postgresql-client', `${folder}/pg_restore`, 'pg_restore'),
    };
  } catch (cause) {
    throw new MissingProgramError(`No pg_dump ${oldestVersion} or newer is in PATH`, {
      install: aptInstall('postgresql-client'),
      cause,
    });
  }
}

async function isRecent(program: string): Promise<boolean> {
  const [, major] = /(\d+)/.exec((await versionOf(program)) ?? '') ?? [];
  return Number(major) >= oldestVersion;
}

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { isReachable } from './unprivileged-account.ts';

export interface Embedded {
  databaseUrl: string;
  /** The same database as superuser; not for the product. */
  databaseAdminUrl: string;
  redisUrl: string;
  /** Restarts PostgreSQL where it is, with what it holds; every connection to it breaks. */
  restartPostgres(): Promise<void>;
  /** Private, and gone after `stop`. */
  folder: string;
  stop(): Promise<void>;
}

/** What there is when something was left out. */
export type PartlyEmbedded = Pick<Embedded, 'folder' | 'stop'> & Partial<Embedded>;

/**
 * Starts a PostgreSQL and a Redis of our own in one private folder, leaving out what is said to be
 * false. They end and the folder goes with `stop`, or with this process however it ends.
 */
export function startEmbedded(wanted?: { postgres?: true; redis?: true }): Promise<Embedded>;
export function startEmbedded(wanted: { postgres?: boolean; redis?: boolean }): Promise<PartlyEmbedded>;
export async function startEmbedded({ postgres = true, redis = true } = {}): Promise<PartlyEmbedded> {
  const folder = await privateFolder();
  const starting = [
    postgres ? startPostgres({ folder }) : undefined,
    redis ? startRedis({ folder }) : undefined,
  ] as const;
  const results = await Promise.allSettled(starting);
  const stop = async () => {
    const started = results.filter((result) => result.status === 'fulfilled');
    await Promise.all(started.map(({ value }) => value?.stop()));
    await rm(folder, { recursive: true, force: true });
  };

  const failed = results.find((result) => result.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const [database, queue] = await Promise.all(starting);
  return {
    ...(database && {
      databaseUrl: database.url,
      databaseAdminUrl: database.adminUrl,
      restartPostgres: database.restart,
    }),
    ...(queue && { redisUrl: queue.url }),
    folder,
    stop,
  };
}

/** Others may pass through it, into the part that is theirs, but not look around in it. */
async function privateFolder(): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const parent = isRoot && !isReachable(tmpdir()) ? '/tmp' : tmpdir();
  const folder = await mkdtemp(join(parent, 'storefront-'));
  if (isRoot) await chmod(folder, 0o711);
  return folder;
}

import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type RestartOptions, startPostgres } from './postgres.ts';
import { isReachable } from './postgres-cluster.ts';
import { startRedis } from './redis.ts';

export interface Embedded {
  databaseUrl: string;
  /** The same database as superuser; not for the product. */
  databaseAdminUrl: string;
  redisUrl: string;
  /** Restarts PostgreSQL on its port with its data; every connection to it breaks. */
  restartPostgres(options?: RestartOptions): Promise<void>;
  /** Private, and removed by `stop`. */
  folder: string;
  stop(): Promise<void>;
}

/** Where Linux has files in memory: PostgreSQL copies a database there ten times faster than on a disk. */
const memory = '/dev/shm';
const memoryMinBytes = 2 * 1024 ** 3;

/** The result when one of the two was left out. */
export type PartlyEmbedded = Pick<Embedded, 'folder' | 'stop'> & Partial<Embedded>;

/**
 * Start a PostgreSQL and a Redis in one private folder, except what is `false`. `stop`, or the end
 * of this process, stops them and removes the folder.
 * @param wanted `durable`: as in production, PostgreSQL's data is on a disk, and a commit waits for it
 */
export function startEmbedded(wanted?: { postgres?: true; redis?: true; durable?: boolean }): Promise<Embedded>;
export function startEmbedded(wanted: {
  postgres?: boolean;
  redis?: boolean;
  autovacuum?: boolean;
  durable?: boolean;
}): Promise<PartlyEmbedded>;
export async function startEmbedded({
  postgres = true,
  redis = true,
  autovacuum = true,
  durable = false,
} = {}): Promise<PartlyEmbedded> {
  const folder = await privateFolder({ durable });
  const starting = [
    postgres ? startPostgres({ folder, autovacuum, durable }) : undefined,
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

/** Other accounts can pass through it, into their own part, but not list it. */
async function privateFolder({ durable }: { durable: boolean }): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const parent = !durable && (await isRoomyMemory()) ? memory : isRoot && !isReachable(tmpdir()) ? '/tmp' : tmpdir();
  const folder = await mkdtemp(join(parent, 'storefront-'));
  if (isRoot) await chmod(folder, 0o711);
  return folder;
}

/** Whether databases fit there, and programs can be run from there. A container may have 64 MB of it, or none. */
async function isRoomyMemory(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(memory);
    const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
    const [, , type, options = ''] = mounts.findLast(([, path]) => path === memory) ?? [];
    return type === 'tmpfs' && !options.split(',').includes('noexec') && bavail * bsize >= memoryMinBytes;
  } catch {
    return false;
  }
}

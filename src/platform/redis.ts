import { Cluster, Redis } from 'ioredis';

import type { Log } from '#src/lib/log.ts';

export type RedisConnection = Redis | Cluster;

/**
 * A connection to Redis, or to a Redis Cluster if there are several nodes. It connects lazily and keeps trying.
 *
 * `blocking` is for BullMQ's workers, which wait on it without a limit. Otherwise a command fails at once while Redis
 * is unavailable.
 */
export function connectRedis(url: string, options: { blocking: boolean; log: Log }): RedisConnection {
  const redisOptions = {
    maxRetriesPerRequest: options.blocking ? null : 1,
    // Heroku's Redis presents a certificate that it signed itself; the connection is encrypted all the same.
    ...(url.startsWith('rediss:') ? { tls: { rejectUnauthorized: false } } : {}),
  };
  const common = { lazyConnect: true, enableOfflineQueue: options.blocking };
  const nodes = url.split(',').map((node) => node.trim());
  const connection =
    nodes.length > 1 ? new Cluster(nodes, { redisOptions, ...common }) : new Redis(url, { ...redisOptions, ...common });
  connection.on('error', reportOnce(options.log));
  return connection;
}

/** ioredis reports every attempt to reconnect; a line a minute is enough. */
function reportOnce(log: Log): (error: Error) => void {
  let reportedAt = 0;
  return (error) => {
    const now = performance.now();
    if (reportedAt !== 0 && now - reportedAt < 60_000) return;
    reportedAt = now;
    log.warn({ err: error.message }, 'redis is unavailable');
  };
}

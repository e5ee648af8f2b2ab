import { Cluster, Redis } from 'ioredis';

import { atMostEvery } from '#src/lib/at-most-every.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import type { Log } from '#src/lib/log.ts';

export type RedisConnection = Redis | Cluster;

/** A connection on which a response is awaited for this long is half-open: it is closed, and opened again. */
const silenceMs = seconds(5);
/** Where BullMQ lets Redis respond only when a job comes, which it does for at most 10 seconds. */
const blockingSilenceMs = seconds(15);

/**
 * A connection to Redis, or to a Redis Cluster if there are several nodes. It keeps trying to connect.
 *
 * `blocking` is for BullMQ's workers, which wait on it without a limit. It connects by itself, and so do its duplicates,
 * because BullMQ does not try again when the first attempt fails. Others connect when they are used, and a command fails
 * at once while Redis is unavailable.
 */
export function connectRedis(url: string, options: { blocking: boolean; log: Log }): RedisConnection {
  const redisOptions = {
    maxRetriesPerRequest: options.blocking ? null : 0,
    socketTimeout: options.blocking ? blockingSilenceMs : silenceMs,
    // Heroku's Redis presents a certificate that it signed itself; the connection is encrypted all the same.
    ...(url.startsWith('rediss:') ? { tls: { rejectUnauthorized: false } } : {}),
  };
  const common = { lazyConnect: !options.blocking, enableOfflineQueue: options.blocking };
  const [first = url, ...others] = readRedisNodes(url);
  const connection =
    others.length > 0
      ? new ReconnectingCluster([first, ...others], { redisOptions: { ...redisOptions, ...loginOf(first) }, ...common })
      : new Redis(url, { ...redisOptions, ...common });
  // ioredis reports every attempt to reconnect; a line a minute is enough.
  const report = (error: Error) => options.log.warn({ err: error.message }, 'redis is unavailable');
  connection.on('error', atMostEvery(minutes(1), report));
  return connection;
}

/**
 * A cluster whose `connect()` resolves when it is connected, however often that takes. The one of ioredis never settles
 * where the nodes respond while the cluster is down, as during a failover: it connects again by itself, and the first
 * promise stays pending. BullMQ awaits it when it resets the connection of a worker, which then takes no further job.
 */
class ReconnectingCluster extends Cluster {
  override async connect(): Promise<void> {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    this.once('ready', resolve);
    await Promise.race([super.connect(), ready]).finally(() => this.off('ready', resolve));
  }

  /** ioredis makes it a plain `Cluster`, whatever it is made from. */
  override duplicate(...given: Parameters<Cluster['duplicate']>): Cluster {
    return Object.setPrototypeOf(super.duplicate(...given), ReconnectingCluster.prototype);
  }
}

/** The connection itself keeps trying. */
export async function untilReady(connection: RedisConnection): Promise<void> {
  if (connection.status !== 'ready') await new Promise<void>((resolve) => connection.once('ready', resolve));
}

/** The URL of each node in REDIS_URL. One that is a host and a port alone has the protocol and login of the first. */
export function readRedisNodes(url: string): string[] {
  const [first = '', ...others] = url.split(',').map((node) => node.trim());
  const [beforeHost = ''] = /^\w+:\/\/([^@/]*@)?/.exec(first) ?? [];
  return [first, ...others.map((node) => (node.includes('://') ? node : `${beforeHost}${node}`))];
}

/** For the nodes of a cluster that REDIS_URL does not name, such as a replica that takes over. */
function loginOf(node: string): { username?: string; password?: string } {
  const { username, password } = new URL(node);
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
}

import { Redis } from 'ioredis';

import { seconds } from '#src/lib/duration.ts';
import { readRedisNodes } from './redis.ts';

/** One node of the Redis that is configured, as an operator should know it. */
export interface InspectedRedis {
  /** Host and port. */
  readonly address: string;
  /** Why it does not respond; the other fields are unknown then. */
  readonly failure: string | undefined;
  /** Why it responds but stores nothing, as one whose memory or disk is full. */
  readonly writeFailure: string | undefined;
  /** Such as 7.2.4. */
  readonly version: string;
  /** `noeviction`, or what it would throw away when it is full. */
  readonly policy: string;
  /** Whether its data survives a restart; undefined if it does not say. */
  readonly isPersistent: boolean | undefined;
}

const timeoutMs = seconds(3);

/** Inspect every node in REDIS_URL. */
export async function inspectRedis(url: string): Promise<InspectedRedis[]> {
  return Promise.all(readRedisNodes(url).map(inspect));
}

async function inspect(url: string): Promise<InspectedRedis> {
  const { hostname, port } = new URL(url);
  const address = `${hostname}:${port || 6379}`;
  const unknown = {
    address,
    failure: undefined,
    writeFailure: undefined,
    version: '',
    policy: '',
    isPersistent: undefined,
  };
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    retryStrategy: () => null,
    ...(url.startsWith('rediss:') ? { tls: { rejectUnauthorized: false } } : {}),
  });
  let lastError = '';
  redis.on('error', (error) => (lastError = error.message));
  try {
    await redis.connect();
    // ioredis itself continues with database 0 where the one of the URL does not exist.
    await redis.select(redis.options.db ?? 0);
    const info = fieldsOf(await redis.info());
    return {
      ...unknown,
      writeFailure: await failureOfWriting(redis),
      version: info.get('redis_version') ?? '',
      policy: info.get('maxmemory_policy') ?? '',
      isPersistent: info.get('aof_enabled') === '1' ? true : await savesSnapshots(redis),
    };
  } catch (error) {
    return { ...unknown, failure: lastError || (error instanceof Error ? error.message : String(error)) };
  } finally {
    redis.disconnect();
  }
}

async function failureOfWriting(redis: Redis): Promise<string | undefined> {
  try {
    await redis.set('{doctor}:written', '1', 'EX', 1);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // In a Redis Cluster, another node has this key.
    return message.startsWith('MOVED ') ? undefined : message;
  }
}

/** Hosted servers may not allow CONFIG. */
async function savesSnapshots(redis: Redis): Promise<boolean | undefined> {
  try {
    const [, rules] = (await redis.call('config', 'get', 'save')) as string[];
    return rules !== undefined && rules !== '';
  } catch {
    return undefined;
  }
}

function fieldsOf(info: string): Map<string, string> {
  return new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
    }),
  );
}

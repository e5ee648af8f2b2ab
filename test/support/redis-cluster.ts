import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

import { freePort, onFreePort } from '#src/dev/embedded/free-port.ts';
import { ensureRedis } from '#src/dev/embedded/programs.ts';
import { supervise } from '#src/dev/embedded/supervise.ts';
import { until } from './until.ts';

/** A Redis Cluster of three masters and a replica of each. Every node requires the password. */
export interface RedisCluster {
  /** As REDIS_URL: the nodes that are masters at first. */
  readonly url: string;
  /** The node that is the master of this key, as most nodes see it. */
  masterOf(key: string): Promise<ClusterNode>;
  stop(): Promise<void>;
}

export interface ClusterNode {
  readonly port: number;
  /** Kill -9. */
  kill(): Promise<void>;
}

interface Node extends ClusterNode {
  readonly busPort: number;
  readonly redis: Redis;
  stop(): Promise<void>;
}

const mastersCount = 3;
const slotsCount = 16_384;
/** A node that is silent for this long is taken for dead. Redis' own default is 15 s. */
const nodeTimeoutMs = 2_000;

export async function startRedisCluster(): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-cluster-'));
  const password = randomBytes(16).toString('hex');
  const nodes = await Promise.all(
    Array.from({ length: 2 * mastersCount }, (_, index) => startNode(folder, `node-${index}`, password)),
  );
  const masters = nodes.slice(0, mastersCount);
  await Promise.all(masters.map(({ redis }, index) => redis.call('cluster', 'addslots', ...slotsOf(index))));
  await Promise.all(masters.map(({ redis }, index) => redis.call('cluster', 'set-config-epoch', String(index + 1))));
  for (const { port, busPort } of nodes) {
    await nodes[0]?.redis.call('cluster', 'meet', '127.0.0.1', String(port), String(busPort));
  }
  const ids = await Promise.all(masters.map(({ redis }) => redis.call('cluster', 'myid') as Promise<string>));
  await Promise.all(
    nodes.slice(mastersCount).map(({ redis }, index) =>
      until(() => redis.call('cluster', 'replicate', ids[index] ?? '').catch(() => false), {
        what: 'a replica to know its master',
      }),
    ),
  );
  await until(async () => (await Promise.all(nodes.map(isWhole))).every(Boolean), { what: 'the Redis Cluster' });

  async function findMaster(key: string): Promise<Node | undefined> {
    const seen = await Promise.all(nodes.map((node) => masterSeenBy(node, key).catch(() => undefined)));
    const most = nodes.length / 2;
    return nodes.find(({ port }) => seen.filter((other) => other === port).length > most);
  }

  return {
    url: masters.map(({ port }) => `redis://:${password}@127.0.0.1:${port}`).join(','),
    masterOf: (key) => until(() => findMaster(key), { what: `the master of ${key}` }),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startNode(folder: string, name: string, password: string): Promise<Node> {
  const program = await ensureRedis();
  const supervisor = supervise(folder, name);
  const busPort = await freePort();
  const file = join(supervisor.folder, 'redis.conf');
  const connect = (port: number) =>
    new Redis({ port, password, maxRetriesPerRequest: 0, retryStrategy: () => 50 }).on('error', () => undefined);
  const responds = async (port: number) => {
    const redis = new Redis({ port, password, lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => undefined);
    return redis
      .ping()
      .then(() => true)
      .catch(() => false)
      .finally(() => redis.disconnect());
  };
  const serve = async (port: number) => {
    const lines = [
      'bind 127.0.0.1',
      `port ${port}`,
      `dir "${supervisor.folder}"`,
      `requirepass ${password}`,
      `masterauth ${password}`,
      'save ""',
      'appendonly no',
      'maxmemory-policy noeviction',
      'cluster-enabled yes',
      `cluster-port ${busPort}`,
      `cluster-node-timeout ${nodeTimeoutMs}`,
      'repl-diskless-sync-delay 0',
    ];
    await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    await supervisor.serve({ program, args: [file] }, () => responds(port));
  };
  const { port } = await onFreePort(serve);
  const redis = connect(port);
  return {
    port,
    busPort,
    redis,
    kill: () => supervisor.interrupt('SIGKILL'),
    async stop() {
      redis.disconnect();
      await supervisor.stop();
    },
  };
}

function slotsOf(index: number): string[] {
  const [from, to] = [index, index + 1].map((part) => Math.floor((part * slotsCount) / mastersCount));
  return Array.from({ length: (to ?? 0) - (from ?? 0) }, (_, offset) => String((from ?? 0) + offset));
}

/** Whether this node sees every slot served, and its own master if it has one. */
async function isWhole({ redis }: Node): Promise<boolean> {
  const [cluster, replication] = await Promise.all([redis.call('cluster', 'info'), redis.info('replication')]);
  return /cluster_state:ok/.test(String(cluster)) && !/master_link_status:down/.test(replication);
}

async function masterSeenBy({ redis }: Node, key: string): Promise<number | undefined> {
  const slot = await redis.call('cluster', 'keyslot', key);
  const ranges = (await redis.call('cluster', 'slots')) as [number, number, [string, number]][];
  return ranges.find(([from, to]) => from <= Number(slot) && Number(slot) <= to)?.[2][1];
}

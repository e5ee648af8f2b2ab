import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

import { onFreePort } from './free-port.ts';
import { ensureRedis } from './programs.ts';
import { type Supervisor, supervise } from './supervise.ts';

export interface EmbeddedRedis {
  url: string;
  port: number;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a Redis (or Valkey) of our own in `folder/redis` on a free loopback port. It stores nothing
 * on disk, never evicts, and ends with this process.
 */
export async function startRedis(options: { folder: string }): Promise<EmbeddedRedis> {
  const supervisor = supervise(options.folder, 'redis');
  const password = randomBytes(16).toString('hex');
  try {
    const program = await ensureRedis();
    const { port } = await onFreePort((candidate) => {
      const configuration = configure(supervisor, candidate, password);
      return supervisor.serve({ program, args: [configuration] }, () => isReady(candidate, password));
    });
    return { url: `redis://:${password}@127.0.0.1:${port}`, port, stop: supervisor.stop };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

/** In a file, since every account of this machine can read a command line. */
function configure({ folder }: Supervisor, port: number, password: string): string {
  const file = join(folder, 'redis.conf');
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir "${folder}"`,
    'save ""',
    'appendonly no',
    'maxmemory-policy noeviction',
    'daemonize no',
    // Tests share one server, and each takes a database of its own.
    'databases 10000',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return file;
}

/** Whether it is our server that responds: another one would not accept the password. */
async function isReady(port: number, password: string): Promise<boolean> {
  const signal = AbortSignal.timeout(1_000);
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect', { signal });
    socket.end(`AUTH ${password}\r\nPING\r\n`);
    const replies = await socket.setEncoding('utf8').toArray({ signal });
    return replies.join('') === '+OK\r\n+PONG\r\n';
  } catch {
    // Not yet: the supervisor limits how long.
    return false;
  } finally {
    socket.destroy();
  }
}

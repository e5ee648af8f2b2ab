import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Command, Order } from './supervise.ts';

/*
 * A process that runs one server for as long as the process that started it exists. The channel
 * between the two closes however the other one ends, kill -9 included, and that is the only way in
 * which a server is discarded.
 */

const folder = process.argv[2] ?? '';
const killAfterMs = 5_000;
let current: { child: ChildProcess; stopSignal: NodeJS.Signals } | undefined;

process.on('message', (order: Order) => {
  if ('signal' in order) current?.child.kill(order.signal);
  else run(order);
});
process.once('disconnect', discard);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, discard);

function run({ program, args, account, stopSignal = 'SIGTERM' }: Command): void {
  const child = spawn(program, args, {
    ...account,
    cwd: '/',
    // No variables of the caller: PGPORT, LD_PRELOAD and the like must not reach the server.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  child.once('error', (error) => {
    console.error(String(error));
    report(null);
  });
  child.once('exit', report);
  current = { child, stopSignal };
}

function report(code: number | null): void {
  if (process.connected) process.send?.({ code });
}

async function discard(): Promise<void> {
  if (current) await end(current.child, current.stopSignal);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  removeIfEmpty(dirname(folder));
  process.exit();
}

async function end(child: ChildProcess, stopSignal: NodeJS.Signals): Promise<void> {
  const running = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  if (!running) return;
  const ended = once(child, 'exit');
  child.kill(stopSignal);
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(timer);
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another service still has its part in it; the last one removes it.
  }
}

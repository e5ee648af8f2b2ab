import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quickStart } from '#test/support/environment.ts';
import type { Random } from '#test/support/random.ts';

/** Where a process is to be killed: at the next point without a kill, or at any point after waiting long enough. */
export interface KillPlan {
  readonly covered: readonly string[];
  /** Points that may be skipped because they come again; the default is all. */
  readonly expected?: readonly string[];
  /** How many points it passes first, so that work is done. Points, not seconds, since machines differ in speed. */
  readonly skippedPoints: number;
  /** How many further points it waits for one that is not covered; the default is without limit. */
  readonly waitPoints?: number;
}

/** What a worker reports on standard output. */
export interface WorkerReport {
  readonly what: 'seen' | 'killed';
  readonly points: readonly string[];
}

export interface LabelWorkers {
  /** How many kills each point had, of the given points and those that any worker reached. */
  readonly killedAt: ReadonlyMap<string, number>;
  readonly counts: { kills: number; freezes: number };
  missing(): string[];
  /** Do not kill any more, except at points without a kill. */
  stopKilling(): void;
  stop(): Promise<void>;
}

export interface LabelWorkerOptions {
  readonly environment: Record<string, string>;
  readonly random: Random;
  readonly workers: number;
  /** The points to cover, from a recording. */
  readonly points: readonly string[];
  /** The number of kills; further ones only at points without a kill. */
  readonly killsMin: number;
  readonly killsMax: number;
  /** The maximum number of points that a process passes first. A label passes some seventy. */
  readonly skippedPointsMax: number;
  /** How often one of them is frozen for longer than a lease; the default is never. */
  readonly freezeEveryMs?: number;
  readonly freezeForMs: number;
}

const entry = fileURLToPath(new URL('./label-worker.ts', import.meta.url));
const preload = fileURLToPath(new URL('../../src/dev/stack/end-with-parent.ts', import.meta.url));
const stopMs = 8000;

/**
 * Keep label workers running. Each is killed (kill -9) at a point without a kill, or at any point when there is none
 * left, and started again. At intervals one is frozen until others have taken over its work.
 */
export function startLabelWorkers(options: LabelWorkerOptions): LabelWorkers {
  const { environment, random, workers, killsMin, killsMax, skippedPointsMax, freezeEveryMs, freezeForMs } = options;
  const killedAt = new Map(options.points.map((point) => [point, 0]));
  const counts = { kills: 0, freezes: 0 };
  const running = new Set<ChildProcess>();
  const over = new AbortController();
  let hasStoppedKilling = false;
  const missing = () => [...killedAt].filter(([, kills]) => kills === 0).map(([point]) => point);

  function plan(): KillPlan | undefined {
    if (counts.kills >= killsMax) return undefined;
    const covered = [...killedAt].filter(([, kills]) => kills > 0).map(([point]) => point);
    const onlyUncovered = hasStoppedKilling || counts.kills >= killsMin || covered.length < killedAt.size;
    // Rare points would pass while points are skipped.
    const isRare = covered.length > killedAt.size / 2 && covered.length < killedAt.size;
    const expected = options.points.length > 0 ? { expected: options.points } : {};
    return {
      covered,
      ...expected,
      skippedPoints: isRare ? 0 : random.below(skippedPointsMax),
      ...(!onlyUncovered && { waitPoints: 0 }),
    };
  }

  async function runWorker(): Promise<void> {
    while (!over.signal.aborted) {
      const killPlan = plan();
      const env = { ...environment, ...(killPlan && { KILL_PLAN: JSON.stringify(killPlan) }) };
      const child = spawn(process.execPath, ['--import', preload, entry], {
        env,
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      });
      running.add(child);
      if (child.stdout) createInterface({ input: child.stdout }).on('line', receiveReport);
      await once(child, 'exit');
      running.delete(child);
    }
  }

  function receiveReport(line: string): void {
    if (!line.startsWith('{"what"')) return;
    const { what, points } = JSON.parse(line) as WorkerReport;
    const wasKilled = what === 'killed';
    for (const point of points) killedAt.set(point, (killedAt.get(point) ?? 0) + (wasKilled ? 1 : 0));
    if (!wasKilled) return;
    counts.kills += 1;
    for (const child of running) if (child.connected) child.send(points, () => undefined);
  }

  async function freeze(everyMs: number): Promise<void> {
    while (await pause(everyMs, !hasStoppedKilling, { signal: over.signal }).catch(() => false)) {
      const child = running.size > 0 ? random.pick([...running]) : undefined;
      if (!child?.kill('SIGSTOP')) continue;
      counts.freezes += 1;
      await pause(freezeForMs, undefined, { signal: over.signal }).catch(() => undefined);
      child.kill('SIGCONT');
    }
  }

  const runs = Array.from({ length: workers }, runWorker);
  const freezing = freezeEveryMs ? freeze(freezeEveryMs) : Promise.resolve();
  return {
    killedAt,
    counts,
    missing,
    stopKilling() {
      hasStoppedKilling = true;
    },
    async stop() {
      over.abort();
      for (const child of running) {
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), stopMs).unref();
      }
      await Promise.all([...runs, freezing]);
    },
  };
}

/** Waits of seconds instead of hours. A lease is fifteen seconds longer than the longest call, as in production. */
const quick = {
  LABEL_BUY_TIMEOUT: '2s',
  LABEL_LOOKUP_GRACE: '2s',
  LABEL_RETRY_SCHEDULE: '0s,1s,1s,2s,2s,3s',
  BREAKER_OPEN: '1s',
  SWEEP_INTERVAL: '3s',
  LOG_LEVEL: 'silent',
  RATE_LIMIT_SCALE: '1000',
  // A connection is always free: statements of a run that waited for one would be counted for the run that released it.
  WORKER_CONCURRENCY_LABELS: '12',
  DATABASE_POOL_MAX: '30',
};

/** The environment of the processes. */
export function labelEnvironment(databaseUrl: string, redisUrl: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    // Killed processes are started again and again.
    NODE_COMPILE_CACHE: join(tmpdir(), 'storefront-compile-cache'),
    ...quickStart,
    APP_MODE: 'test',
    LOCAL_MODE: '1',
    PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    KEY_PEPPER: randomBytes(32).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:2525',
    MAIL_FROM: 'Storefront <hello@storefront.example>',
    ...quick,
  };
}

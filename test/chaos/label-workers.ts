import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Random } from '#test/support/random.ts';
import type { Aim } from './label-points.ts';

export interface LabelWorkers {
  /** How often a process was killed at each point that any of them ever came to. */
  readonly killedAt: ReadonlyMap<string, number>;
  readonly counts: { kills: number; freezes: number };
  /** From now on nobody is aimed at. */
  spare(): void;
  stop(): Promise<void>;
}

export interface HuntOptions {
  readonly environment: Record<string, string>;
  readonly random: Random;
  readonly workers: number;
  readonly killsMax: number;
  /** So many points at most a process passes before it is aimed at. A label passes some seventy. */
  readonly undisturbedMax: number;
  /** How often one of them is stopped, for longer than a lease lasts; never where left out. */
  readonly freezeEveryMs?: number;
  readonly freezeForMs: number;
}

const entry = fileURLToPath(new URL('./label-worker.ts', import.meta.url));
const preload = fileURLToPath(new URL('../../src/local/stack/end-with-parent.ts', import.meta.url));
const stopMs = 8000;

/**
 * Keep so many label workers running, of which each is killed by kill -9 at some point of the protocol and started
 * again, and now and then one is frozen until others have taken its work over. The points least struck come first.
 */
export function huntLabelWorkers({ environment, random, workers, killsMax, undisturbedMax, freezeEveryMs, freezeForMs }: HuntOptions): LabelWorkers {
  const killedAt = new Map<string, number>();
  const counts = { kills: 0, freezes: 0 };
  const running = new Set<ChildProcess>();
  const over = new AbortController();
  let hunting = true;

  function aim(): Aim | undefined {
    if (!hunting || counts.kills >= killsMax) return undefined;
    const least = Math.min(...killedAt.values());
    const points = [...killedAt].filter(([, kills]) => kills === least).map(([point]) => point);
    return { point: points.length > 0 ? random.pick(points) : '', undisturbed: random.below(undisturbedMax), patience: undisturbedMax };
  }

  async function live(): Promise<void> {
    while (!over.signal.aborted) {
      const aimed = aim();
      const env = { ...environment, ...(aimed && { AIM: JSON.stringify(aimed) }) };
      const child = spawn(process.execPath, ['--import', preload, entry], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
      running.add(child);
      if (child.stdout) createInterface({ input: child.stdout }).on('line', hear);
      await once(child, 'exit');
      running.delete(child);
    }
  }

  function hear(line: string): void {
    if (!line.startsWith('{"what"')) return;
    const { what, point } = JSON.parse(line) as { what: 'seen' | 'died'; point: string };
    const isDeath = what === 'died';
    killedAt.set(point, (killedAt.get(point) ?? 0) + (isDeath ? 1 : 0));
    if (isDeath) counts.kills += 1;
  }

  async function freeze(everyMs: number): Promise<void> {
    while (await pause(everyMs, hunting, { signal: over.signal }).catch(() => false)) {
      const victim = running.size > 0 ? random.pick([...running]) : undefined;
      if (!victim?.kill('SIGSTOP')) continue;
      counts.freezes += 1;
      await pause(freezeForMs, undefined, { signal: over.signal }).catch(() => undefined);
      victim.kill('SIGCONT');
    }
  }

  const lives = Array.from({ length: workers }, live);
  const freezing = freezeEveryMs ? freeze(freezeEveryMs) : Promise.resolve();
  return {
    killedAt, counts,
    spare() {
      hunting = false;
    },
    async stop() {
      hunting = false;
      over.abort();
      for (const child of running) {
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), stopMs).unref();
      }
      await Promise.all([...lives, freezing]);
    },
  };
}

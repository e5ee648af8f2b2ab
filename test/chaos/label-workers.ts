import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Random } from '#test/support/random.ts';

/** Where a process is to die: where its runs come to points that are not struck, or at any at all when it has waited so long. */
export interface Aim {
  readonly struck: readonly string[];
  /** These may pass undisturbed: they come again. All may where left out. */
  readonly expected?: readonly string[];
  /** So many points it passes undisturbed, so that something is done. Counted in points: machines are slow and fast. */
  readonly undisturbed: number;
  /** So many points it waits from then on for one that is not struck; as long as it takes where left out. */
  readonly patience?: number;
}

/** What a worker says of itself on standard output. */
export interface Said {
  readonly what: 'seen' | 'died';
  readonly points: readonly string[];
}

export interface LabelWorkers {
  /** How often a run stood at each point when its process was killed, of those that were named and those that any came to. */
  readonly killedAt: ReadonlyMap<string, number>;
  readonly counts: { kills: number; freezes: number };
  missing(): string[];
  /** From now on only points are aimed at that were never struck. */
  spare(): void;
  stop(): Promise<void>;
}

export interface HuntOptions {
  readonly environment: Record<string, string>;
  readonly random: Random;
  readonly workers: number;
  /** The points to strike, as a recording named them. */
  readonly points: readonly string[];
  /** So many processes are killed, and more only where a point was never struck. */
  readonly killsMin: number;
  readonly killsMax: number;
  /** So many points at most a process passes before it is aimed at. A label passes some seventy. */
  readonly undisturbedMax: number;
  /** How often one of them is stopped, for longer than a lease lasts; never where left out. */
  readonly freezeEveryMs?: number;
  readonly freezeForMs: number;
}

const entry = fileURLToPath(new URL('./label-worker.ts', import.meta.url));
const preload = fileURLToPath(new URL('../../src/dev/stack/end-with-parent.ts', import.meta.url));
const stopMs = 8000;

/**
 * Keep so many label workers running, of which each is killed by kill -9 where none was killed before, and started
 * again; when there is no such point left, anywhere. Now and then one is frozen until others have taken its work over.
 */
export function huntLabelWorkers(options: HuntOptions): LabelWorkers {
  const { environment, random, workers, killsMin, killsMax, undisturbedMax, freezeEveryMs, freezeForMs } = options;
  const killedAt = new Map(options.points.map((point) => [point, 0]));
  const counts = { kills: 0, freezes: 0 };
  const running = new Set<ChildProcess>();
  const over = new AbortController();
  let isSparing = false;
  const missing = () => [...killedAt].filter(([, kills]) => kills === 0).map(([point]) => point);

  function aim(): Aim | undefined {
    if (counts.kills >= killsMax) return undefined;
    const struck = [...killedAt].filter(([, kills]) => kills > 0).map(([point]) => point);
    const isEnough = isSparing || counts.kills >= killsMin || struck.length < killedAt.size;
    // What is rare would pass while nobody looks.
    const isRare = struck.length > killedAt.size / 2 && struck.length < killedAt.size;
    const expected = options.points.length > 0 ? { expected: options.points } : {};
    return {
      struck,
      ...expected,
      undisturbed: isRare ? 0 : random.below(undisturbedMax),
      ...(!isEnough && { patience: 0 }),
    };
  }

  async function live(): Promise<void> {
    while (!over.signal.aborted) {
      const aimed = aim();
      const env = { ...environment, ...(aimed && { AIM: JSON.stringify(aimed) }) };
      const child = spawn(process.execPath, ['--import', preload, entry], {
        env,
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      });
      running.add(child);
      if (child.stdout) createInterface({ input: child.stdout }).on('line', hear);
      await once(child, 'exit');
      running.delete(child);
    }
  }

  function hear(line: string): void {
    if (!line.startsWith('{"what"')) return;
    const { what, points } = JSON.parse(line) as Said;
    const isKillPoint = what === 'died';
    for (const point of points) killedAt.set(point, (killedAt.get(point) ?? 0) + (isKillPoint ? 1 : 0));
    if (!isKillPoint) return;
    counts.kills += 1;
    for (const child of running) if (child.connected) child.send(points, () => undefined);
  }

  async function freeze(everyMs: number): Promise<void> {
    while (await pause(everyMs, !isSparing, { signal: over.signal }).catch(() => false)) {
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
    killedAt,
    counts,
    missing,
    spare() {
      isSparing = true;
    },
    async stop() {
      over.abort();
      for (const child of running) {
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), stopMs).unref();
      }
      await Promise.all([...lives, freezing]);
    },
  };
}

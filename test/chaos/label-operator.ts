import { setTimeout as pause } from 'node:timers/promises';

import type { Random } from '#test/support/random.ts';

interface BoardJob {
  readonly id: string;
  readonly data: { readonly tenantId: string };
}

/** So long the sweeps have before somebody presses Retry in a store that is left to itself. */
const leftAloneMs = 25_000;

/**
 * Somebody at the board who presses Retry on whatever failed, several times at once, and on jobs that did not fail as
 * well, until told to end. Answers how often he pressed.
 *
 * @param isUnattended whether a store is left to itself for a while
 */
export function pressRetries(
  url: string,
  random: Random,
  isUnattended: (tenantId: string) => boolean,
): { end(): Promise<number> } {
  const board = `${url}/ops/queues/api/queues`;
  const failedSince = new Map<string, number>();
  let ending = false;
  let presses = 0;

  async function jobsOf(status: string): Promise<readonly BoardJob[]> {
    const answer = await fetch(`${board}?activeQueue=labels&status=${status}&jobsPerPage=50`).catch(() => undefined);
    if (!answer?.ok) return [];
    const { queues } = (await answer.json()) as { queues: { name: string; jobs: BoardJob[] }[] };
    return queues.find(({ name }) => name === 'labels')?.jobs ?? [];
  }

  function isDue({ id, data }: BoardJob): boolean {
    const since = failedSince.get(id) ?? performance.now();
    failedSince.set(id, since);
    return !isUnattended(data.tenantId) || performance.now() - since > leftAloneMs;
  }

  /** What is refused was no failed job, or is none any more. */
  async function press({ id }: BoardJob): Promise<void> {
    presses += 1;
    await fetch(`${board}/labels/${id}/retry`, { method: 'PUT', headers: { origin: url } }).catch(() => undefined);
  }

  const pressing = (async () => {
    while (!ending) {
      const [failed, active] = await Promise.all([jobsOf('failed'), jobsOf('active')]);
      const chosen = [...failed.filter(isDue), ...active.filter(() => random.chance(0.1))];
      await Promise.all(chosen.flatMap((job) => [press(job), press(job)]));
      await pause(1000);
    }
  })();
  return {
    async end() {
      ending = true;
      await pressing;
      return presses;
    },
  };
}

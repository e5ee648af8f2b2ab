import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '#test/support/random.ts';

interface BoardJob {
  readonly id: string;
  readonly data: { readonly tenantId: string };
}

/** How long the sweeps have before Retry is pressed in an unattended store. */
const unattendedMs = 25_000;

/**
 * An operator at the board who presses Retry on every failed job, several times at once, and on others, too, until
 * `end` is called, which returns how often.
 *
 * @param isUnattended whether Retry is pressed late in a store
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
    const response = await fetch(`${board}?activeQueue=labels&status=${status}&jobsPerPage=50`).catch(() => undefined);
    if (!response?.ok) return [];
    const { queues } = (await response.json()) as { queues: { name: string; jobs: BoardJob[] }[] };
    return queues.find(({ name }) => name === 'labels')?.jobs ?? [];
  }

  function isDue({ id, data }: BoardJob): boolean {
    const since = failedSince.get(id) ?? performance.now();
    failedSince.set(id, since);
    return !isUnattended(data.tenantId) || performance.now() - since > unattendedMs;
  }

  /** The board rejects a job that has not failed, or no longer. */
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

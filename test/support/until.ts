/** How long a condition is waited for: in vain if it is not to hold, so that a busy machine may take its time. */
export const waitMaxMs = 120_000;

/** Most conditions hold soon; the others wait for processes that need the processor themselves. */
const [firstPauseMs, longestPauseMs] = [5, 50];

/**
 * Poll until the condition returns something truthy, and return that. Fails after a timeout.
 *
 * @param everyMs the time between two polls; by default it grows
 */
export async function until<Result>(
  condition: () => Promise<Result> | Result,
  {
    withinMs = waitMaxMs,
    everyMs,
    what = 'the condition',
  }: Partial<{ withinMs: number; everyMs: number; what: string }> = {},
): Promise<NonNullable<Result>> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = everyMs ?? firstPauseMs; ; pauseMs = everyMs ?? Math.min(1.5 * pauseMs, longestPauseMs)) {
    const result = await condition();
    if (result) return result;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Poll until the condition returns something truthy, and return that. Fails after a timeout. */
export async function until<Result>(
  condition: () => Promise<Result> | Result,
  {
    withinMs = 120_000,
    everyMs = 10,
    what = 'the condition',
  }: Partial<{ withinMs: number; everyMs: number; what: string }> = {},
): Promise<NonNullable<Result>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Wait until the condition answers something truthy, and answer that. Fails when it never does. */
export async function until<Result>(
  condition: () => Promise<Result> | Result,
  { withinMs = 60_000, what = 'the condition' }: { withinMs?: number; what?: string } = {},
): Promise<NonNullable<Result>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Wait for all, then throw the first failure, if any: nothing may still run in a transaction after its rollback.
 * Statements that do not depend on each other are pipelined this way, in the order of the array.
 */
export async function awaitAll<const Parts extends readonly unknown[]>(
  ...parts: Parts
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

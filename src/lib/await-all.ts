/**
 * Wait for all, and throw the first failure once none is under way any more: nothing may go on in a transaction after
 * it was rolled back. Statements that need no answer of each other are sent one behind the other this way, in the order
 * in which they stand, and waited for once.
 */
export async function awaitAll<const Parts extends readonly unknown[]>(
  ...parts: Parts
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

/** A response that differs from its route's schema becomes a 500, so that the test fails; this prints the reason. */
export function reportDrift(drift: string): never {
  console.error(`  An answer drifts from its documentation: ${drift}.`);
  throw new Error(drift);
}

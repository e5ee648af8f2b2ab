/** An answer that is not as its route documents it becomes a 500, so that the test which asked for it fails; here is why. */
export function reportDrift(drift: string): never {
  console.error(`  An answer drifts from its documentation: ${drift}.`);
  throw new Error(drift);
}

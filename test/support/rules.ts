/** What a rule found. */
class BrokenRule extends Error {}

/** @throws BrokenRule unless both say the same in JSON */
export function equal(is: unknown, shouldBe: unknown): void {
  // Of zero, the sign says nothing.
  const [found, expected] = [is, shouldBe].map((value) => JSON.stringify(value === 0 ? 0 : value));
  if (found !== expected) throw new BrokenRule(`is ${found}, should be ${expected}`);
}

/** @throws BrokenRule above the limit */
export function atMost(is: number, limit: number): void {
  if (!(is <= limit)) throw new BrokenRule(`is ${is}, should be at most ${limit}`);
}

/** Check a rule for one thing, which a failure names. */
export function named(name: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw error instanceof BrokenRule ? new BrokenRule(`${name} ${error.message}`) : error;
  }
}

/** @returns the rules that are broken, each with what it found */
export async function brokenRules<Given extends unknown[]>(
  rules: Readonly<Record<string, (...given: Given) => void | Promise<void>>>,
  ...given: Given
): Promise<string[]> {
  const broken: string[] = [];
  for (const [rule, check] of Object.entries(rules)) {
    try {
      await check(...given);
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error;
      broken.push(`${rule}: ${error.message}`);
    }
  }
  return broken;
}

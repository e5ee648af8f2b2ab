/** For what happens again and again while something is unavailable: does it at once, and then not before the time is over. */
export function atMostEvery<Given extends readonly unknown[]>(
  milliseconds: number,
  act: (...given: Given) => void,
): (...given: Given) => void {
  let actedAt = -Infinity;
  return (...given) => {
    const now = performance.now();
    if (now - actedAt < milliseconds) return;
    actedAt = now;
    act(...given);
  };
}

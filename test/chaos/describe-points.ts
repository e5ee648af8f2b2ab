/** Each place of the protocol with its statements and calls, and how often somebody died before and after each. */
export function describePoints(killedAt: ReadonlyMap<string, number>, recorded: ReadonlySet<string>): string[] {
  const places = new Map<string, Map<string, { before?: number; after?: number }>>();
  for (const [point, kills] of killedAt) {
    const [, place = '', when = '', name = ''] = /^(.+): (before|after) (.+)$/.exec(point) ?? [];
    const names = places.get(place) ?? new Map<string, { before?: number; after?: number }>();
    places.set(place, names.set(name, { ...names.get(name), [when]: kills }));
  }
  const struck = [...killedAt.values()].filter((kills) => kills > 0).length;
  const besides = [...killedAt.keys()].filter((point) => !recorded.has(point)).length;
  return [
    `Struck are ${struck} of ${killedAt.size} points${recorded.size > 0 ? `, of which ${besides} are passed only where somebody died or hung` : ''}. How often before, and after:`,
    ...[...places]
      .toSorted(([left], [right]) => left.localeCompare(right))
      .map(
        ([place, names]) =>
          `  ${place}: ${[...names].map(([name, { before = 0, after = 0 }]) => `${name} ${before}, ${after}`).join(' · ')}`,
      ),
  ];
}

/** How often the reply to each request was lost before it was done, and after. */
export function describeReplies(
  requests: readonly string[],
  replies: ReadonlyMap<string, { before: number; after: number }>,
): string[] {
  return [
    'Replies that were lost, before it was done and after:',
    ...requests.map((request) => {
      const { before, after } = replies.get(request) ?? { before: 0, after: 0 };
      return `  ${request}: ${before}, ${after}`;
    }),
  ];
}

/** The quality of the results of a list of queries, each number from 0 to 1. */
export interface SearchQuality {
  /** Of how many the product that was meant came first. */
  readonly first: number;
  /** Of how many it was among the first five. */
  readonly amongFive: number;
  /** The mean of one over its rank: 1 where it is always first. */
  readonly meanReciprocalRank: number;
  /** The queries whose product was not first, and what was. */
  readonly faults: readonly string[];
}

/** Search each query and rank the product that is meant. */
export async function measureSearch(
  answers: readonly (readonly [query: string, slug: string])[],
  search: (query: string) => Promise<readonly string[]>,
): Promise<SearchQuality> {
  const ranks: number[] = [];
  const faults: string[] = [];
  for (const [query, slug] of answers) {
    const found = await search(query);
    ranks.push(found.indexOf(slug) + 1);
    if (found[0] !== slug) faults.push(`"${query}" finds ${found.slice(0, 3).join(', ') || 'nothing'}, not ${slug}`);
  }
  const part = (holds: (rank: number) => boolean) => ranks.filter(holds).length / ranks.length;
  return {
    first: part((rank) => rank === 1),
    amongFive: part((rank) => rank > 0 && rank <= 5),
    meanReciprocalRank: ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length,
    faults,
  };
}

/** One answer of a list that has more: `next` goes on in it, null on the last. */
interface Page {
  readonly next: string | null;
}

const pagesMax = 1000;

/**
 * All pages of a list of the provider's, one after the other.
 * @param ask is told where the page before ended; nothing for the first
 */
export async function* everyPage<Result extends Page>(
  fetchPage: (from: { readonly next?: string }) => Promise<Result>,
): AsyncGenerator<Result> {
  let next: string | null = '';
  for (let count = 0; next !== null; count += 1) {
    if (count === pagesMax) throw new RangeError('A list of the payment provider has more pages than are believed.');
    const page: Result = await fetchPage(next ? { next } : {});
    yield page;
    next = page.next;
  }
}

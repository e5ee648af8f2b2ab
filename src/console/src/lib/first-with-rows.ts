interface SomePage {
  readonly rows: readonly unknown[];
  readonly cursor: string | null;
}

/** Where its filters leave few rows, a page of the API may be empty although more follow: the first that is not. */
export async function firstWithRows<Page extends SomePage>(
  read: (cursor: string | undefined) => Promise<Page>,
  from?: string,
): Promise<Page> {
  const page = await read(from);
  return page.rows.length > 0 || page.cursor === null ? page : firstWithRows(read, page.cursor);
}

import type { Page, PageRequest } from '#src/lib/cursor.ts';

const pageRows = 1000;

/** Every row of a list, read page by page. */
export async function readAll<Row>(readPage: (request: PageRequest) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await readPage({ cursor: cursor ?? undefined, limit: pageRows });
    rows.push(...page.rows);
    ({ cursor } = page);
  } while (cursor);
  return rows;
}

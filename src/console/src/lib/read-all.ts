/** Every row of a list that has no pages in the console, because it is short in nearly every store. */
export async function readAll<Row>(list: AsyncIterable<Row>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of list) rows.push(row);
  return rows;
}

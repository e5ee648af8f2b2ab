import type { DataProvider, GetListParams } from 'react-admin';

import { firstWithRows } from './lib/first-with-rows.ts';
import { type Page, type Query, type Resource, resources } from './resources.ts';

/** The lists and records of react-admin, from the admin API. Whatever changes them calls the API itself. */
export const dataProvider = {
  async getList(name: string, { filter = {}, pagination = { page: 1, perPage: 25 }, signal }: GetListParams) {
    const { list } = resourceNamed(name);
    const query = { ...filter, limit: pagination.perPage };
    const { rows, cursor } = await readPage(list, { name, query, page: pagination.page, signal });
    return { data: [...rows], pageInfo: { hasNextPage: cursor !== null, hasPreviousPage: pagination.page > 1 } };
  },
  async getOne(name: string, { id, signal }: { id: string; signal?: AbortSignal }) {
    const { one } = resourceNamed(name);
    if (!one) throw new Error(`${name} have no page of their own.`);
    return { data: await one(id, signal) };
  },
  supportAbortSignal: true,
} as unknown as DataProvider;

function resourceNamed(name: string): Resource {
  const resource = resources[name];
  if (!resource) throw new Error(`There are no ${name}.`);
  return resource;
}

interface PageNumber {
  readonly name: string;
  readonly query: Query;
  readonly page: number;
  readonly signal: AbortSignal | undefined;
}

/** The cursors of the pages after the first one, by list and query. */
const cursors = new Map<string, (string | null)[]>();

/** The API knows cursors and no numbers of pages: pages that nobody has seen yet are read on the way. */
async function readPage(list: Resource['list'], { name, query, page, signal }: PageNumber): Promise<Page> {
  const key = `${name} ${JSON.stringify(query)}`;
  const known = cursors.get(key) ?? [];
  cursors.set(key, known);
  for (let number = Math.min(page, known.length + 1); ; number += 1) {
    const from = number === 1 ? undefined : known[number - 2];
    if (from === null) return { rows: [], cursor: null };
    const result = await firstWithRows((cursor) => list({ ...query, ...(cursor && { cursor }) }, signal), from);
    known[number - 1] = result.cursor;
    if (number === page) return result;
  }
}

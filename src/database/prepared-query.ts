import { shortDigest } from '#src/lib/crypto.ts';
import type { Sql } from '#src/lib/sql.ts';

const names = new Map<string, string>();

/** A name per statement's text lets PostgreSQL keep its plan. Texts come from our own code, so there are few. */
export function preparedQuery({ text, values }: Pick<Sql, 'text' | 'values'>): {
  name: string;
  text: string;
  values: unknown[];
} {
  let name = names.get(text);
  if (!name) names.set(text, (name = shortDigest(text, 24)));
  return { name, text, values: [...values] };
}

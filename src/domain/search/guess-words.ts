import { read } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { chooseWords, type Likeness, likenessOf, type Word, wordPattern } from './vocabulary.ts';

/** The words that were probably meant, in the syntax of `to_tsquery`. */
export interface Guess {
  /** Each word, or one that it may be a misspelling of. */
  readonly all: string;
  /** Any of them. */
  readonly any: string;
}

const wordsMax = 8;

/**
 * Correct misspelled words: each is compared with the words in the store's documents. Words that resemble none of them
 * are left out.
 * @returns `undefined` when no word is left
 */
export async function guessWords(ctx: Context, typed: string): Promise<Guess | undefined> {
  const wanted = typed.toLowerCase().replace(/(^|\s)-\S+/g, ' ');
  const words = [...wanted.matchAll(wordPattern)].slice(0, wordsMax).map(([word]) => word);
  if (words.length === 0) return undefined;
  const candidates = await findWords(ctx, words.map(likenessOf));
  const guesses = words.map((word) => chooseWords(word, candidates)).filter((meant) => meant.length > 0);
  if (guesses.length === 0) return undefined;
  // Words consist of letters only, so quotes are enough to escape them.
  const groups = guesses.map((meant) => `(${meant.map((word) => `'${word}'`).join(' | ')})`);
  return { all: groups.join(' & '), any: groups.join(' | ') };
}

/** How many words of one length are read that begin, or end, like a typed word. */
const likeWordsMax = 200;

/** Comes after every letter. */
const last = '\u{10FFFF}';

/** The words of the store that any of the typed ones may stand for: as many as a very large vocabulary has of them. */
async function findWords(ctx: Context, typed: readonly Likeness[]): Promise<Word[]> {
  const tenantId = ctx.tenant.id;
  return read<Word>(
    ctx,
    sql`
    select distinct w.plain, w.written, w.documents
    from jsonb_to_recordset(${JSON.stringify(typed)}::jsonb)
        as t(plain text, edits int, "start" text, "end" text)
    cross join lateral (
      select * from search_words where tenant_id = ${tenantId} and plain = t.plain
      union all
      select s.* from generate_series(length(t.plain) - t.edits, length(t.plain) + t.edits) as near(length)
        cross join lateral (
          select * from search_words
          where tenant_id = ${tenantId} and length = near.length and plain >= t.start and plain < t.start || ${last}
          order by plain limit ${likeWordsMax}) as s
      union all
      select e.* from generate_series(length(t.plain) - t.edits, length(t.plain) + t.edits) as near(length)
        cross join lateral (
          select * from search_words
          where tenant_id = ${tenantId} and length = near.length and reversed >= reverse(t.end)
            and reversed < reverse(t.end) || ${last}
          order by reversed limit ${likeWordsMax}) as e
      union all
      (select * from search_words
       where tenant_id = ${tenantId} and plain > t.plain and plain < t.plain || ${last}
       order by plain limit ${likeWordsMax})) as w`,
    { replica: true },
  );
}

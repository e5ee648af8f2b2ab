import { LRUCache } from 'lru-cache';
import type { Database } from '#src/database/connections.ts';
import { readOne } from '#src/database/transact.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { Vocabulary, wordPattern } from './vocabulary.ts';

/** What was probably meant, in the language of `to_tsquery`. */
export interface Guess {
  /** Every word, or one that it may be a slip of. */
  readonly all: string;
  /** Any of them. */
  readonly any: string;
}

const wordsMax = 8;

/**
 * Guess what was meant by words that, taken together, are found nowhere: each is held against the words that the store
 * calls its things by, and one that is like none of them is left out. `undefined` when none is left.
 */
export async function guessWords(ctx: Context, typed: string): Promise<Guess | undefined> {
  const wanted = typed.toLowerCase().replace(/(^|\s)-\S+/g, ' ');
  const words = [...wanted.matchAll(wordPattern)].slice(0, wordsMax).map(([word]) => word);
  if (words.length === 0) return undefined;
  const vocabulary = await loadVocabulary(ctx);
  const guesses = words.map((word) => vocabulary.guess(word)).filter((meant) => meant.length > 0);
  if (guesses.length === 0) return undefined;
  // Words are of letters alone, so a quotation mark is all that they need.
  const groups = guesses.map((meant) => `(${meant.map((word) => `'${word}'`).join(' | ')})`);
  return { all: groups.join(' & '), any: groups.join(' | ') };
}

/** How long a store's words are taken for its newest: what is spelled right is found without them. */
const freshForMs = minutes(1);

/** So many documents of a store are read for their words: of more, most have been seen. */
const documentsMax = 50_000;

/** So many words a process holds: of the stores that were searched last. */
const cachedWordsMax = 500_000;

interface Held {
  vocabulary: Promise<Vocabulary>;
  words: number;
  checkedAt: number;
}

const caches = new WeakMap<Database, LRUCache<string, Held>>();

/**
 * The words of the store's titles, categories, tags and variants, as of a minute ago. Only the first search of a store in
 * a process waits for them.
 */
async function loadVocabulary(ctx: Context): Promise<Vocabulary> {
  const cache = cacheOf(ctx.database);
  const now = ctx.clock.now().getTime();
  const held = cache.get(ctx.tenant.id);
  if (!held || now - held.checkedAt >= freshForMs) {
    const loading = readVocabulary(ctx);
    keep(cache, ctx.tenant.id, { vocabulary: held?.vocabulary ?? loading, words: held?.words ?? 0, checkedAt: now });
    loading.then(
      (vocabulary) => keep(cache, ctx.tenant.id, { vocabulary: loading, words: vocabulary.size, checkedAt: now }),
      // Older words are better than none, and the next search but a minute looks again.
      () => held || cache.delete(ctx.tenant.id),
    );
    return held?.vocabulary ?? loading;
  }
  return held.vocabulary;
}

async function readVocabulary(ctx: Context): Promise<Vocabulary> {
  const found = await readOne<{ words: string | null }>(
    ctx,
    sql`
    select string_agg(title || E'\n' || keywords, E'\n') as words
    from (select title, keywords from search_documents where tenant_id = ${ctx.tenant.id} limit ${documentsMax}) as taken`,
    { replica: true },
  );
  return new Vocabulary(found?.words ?? '');
}

function keep(cache: LRUCache<string, Held>, key: string, held: Held): void {
  cache.set(key, held, { size: held.words + 1 });
}

function cacheOf(database: Database): LRUCache<string, Held> {
  const cache = caches.get(database) ?? new LRUCache<string, Held>({ max: 10_000, maxSize: cachedWordsMax });
  caches.set(database, cache);
  return cache;
}

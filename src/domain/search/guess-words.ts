import { LRUCache } from 'lru-cache';
import type { Database } from '#src/database/connections.ts';
import { readOne } from '#src/database/transact.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { Vocabulary, wordPattern } from './vocabulary.ts';

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
  const vocabulary = await loadVocabulary(ctx);
  const guesses = words.map((word) => vocabulary.guess(word)).filter((meant) => meant.length > 0);
  if (guesses.length === 0) return undefined;
  // Words consist of letters only, so quotes are enough to escape them.
  const groups = guesses.map((meant) => `(${meant.map((word) => `'${word}'`).join(' | ')})`);
  return { all: groups.join(' & '), any: groups.join(' | ') };
}

/** How old a store's vocabulary may be. Correctly spelled words are found without it. */
const freshForMs = minutes(1);

/** How many documents of a store are read: further ones add few new words. */
const documentsMax = 50_000;

/** How many words a process caches, of the stores that were searched last. */
const cachedWordsMax = 500_000;

interface CachedVocabulary {
  vocabulary: Promise<Vocabulary>;
  words: number;
  checkedAt: number;
}

const caches = new WeakMap<Database, LRUCache<string, CachedVocabulary>>();

/**
 * The vocabulary of the store's titles, categories, tags and variants, at most a minute old. Only the first search of a
 * store in a process waits for it; later ones use the old one while it is read again.
 */
async function loadVocabulary(ctx: Context): Promise<Vocabulary> {
  const cache = cacheOf(ctx.database);
  const now = ctx.clock.now().getTime();
  const cached = cache.get(ctx.tenant.id);
  if (!cached || now - cached.checkedAt >= freshForMs) {
    const loading = readVocabulary(ctx);
    store(cache, ctx.tenant.id, {
      vocabulary: cached?.vocabulary ?? loading,
      words: cached?.words ?? 0,
      checkedAt: now,
    });
    loading.then(
      (vocabulary) => store(cache, ctx.tenant.id, { vocabulary: loading, words: vocabulary.size, checkedAt: now }),
      // An old vocabulary is better than none. It is read again after another minute.
      () => cached || cache.delete(ctx.tenant.id),
    );
    return cached?.vocabulary ?? loading;
  }
  return cached.vocabulary;
}

async function readVocabulary(ctx: Context): Promise<Vocabulary> {
  const found = await readOne<{ words: string | null }>(
    ctx,
    sql`
    select string_agg(title || E'\n' || keywords, E'\n') as words
    from (
      select title, keywords from search_documents
      where tenant_id = ${ctx.tenant.id} limit ${documentsMax}) as documents`,
    { replica: true },
  );
  return new Vocabulary(found?.words ?? '');
}

function store(cache: LRUCache<string, CachedVocabulary>, key: string, entry: CachedVocabulary): void {
  cache.set(key, entry, { size: entry.words + 1 });
}

function cacheOf(database: Database): LRUCache<string, CachedVocabulary> {
  const cache =
    caches.get(database) ?? new LRUCache<string, CachedVocabulary>({ max: 10_000, maxSize: cachedWordsMax });
  caches.set(database, cache);
  return cache;
}

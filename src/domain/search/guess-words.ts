import type { Context } from '../context.ts';
import { loadVocabulary } from './load-vocabulary.ts';
import { wordPattern } from './vocabulary.ts';

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

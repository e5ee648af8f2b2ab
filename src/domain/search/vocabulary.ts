import { editDistance } from '#src/lib/edit-distance.ts';
import { normalizeText } from '#src/lib/normalize-text.ts';

/** A word of a store's documents. */
export interface Word {
  /** Without accents, for comparison. */
  readonly plain: string;
  /** As documents spell it, in lower case. */
  readonly written: string;
  /** How many documents contain it, up to `countMax`. */
  readonly documents: number;
}

/** Up to how many documents a word is counted: more of them do not make it a better guess. */
export const countMax = 100;

/** How many corrections one unknown word has at most. */
const guessesMax = 3;

/** Shorter words are one edit away from too many others. */
const wordLengthMin = 3;

/** The length from which a word may differ in two edits. */
const wordLengthForTwoEdits = 8;

/** Words of letters: numbers are not corrected. */
export const wordPattern = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}]{3,40}(?![\p{L}\p{M}\p{N}])/gu;

/** The different words of a text, as it spells them, in lower case. */
export function wordsIn(text: string): Set<string> {
  return new Set([...text.toLowerCase().matchAll(wordPattern)].map(([word]) => word));
}

/** The indexes of trigrams have parts of three characters, of which some are the ends of words. */
const indexedPattern = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u;

/** The pattern for `like` of a text that contains this one; `undefined` for one that those indexes cannot find. */
export function containing(text: string): string | undefined {
  return indexedPattern.test(text) ? `%${text.replace(/[\\%_]/g, '\\$&')}%` : undefined;
}

/** Words of languages without spaces, most of which have one or two characters: too few for the indexes of trigrams. */
export const unspacedPattern = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]{1,2}$/u;

/** What the words begin or end with that a typed word may stand for. */
export interface Likeness {
  readonly plain: string;
  /** In how many letters they may differ in length. */
  readonly edits: number;
  readonly start: string;
  readonly end: string;
}

/**
 * How words are looked up that a typed word may stand for. An edit leaves the beginning or the end of a word as it is:
 * swapped letters are two neighbours, and between these two parts is at least one letter. Two edits may change both in
 * a long word, which is then not found.
 */
export function likenessOf(typed: string): Likeness {
  const plain = normalizeText(typed);
  const edits = plain.length < wordLengthForTwoEdits ? 1 : 2;
  const length = Math.floor((plain.length - 1) / (edits + 1));
  return { plain, edits, start: plain.slice(0, length), end: length > 0 ? plain.slice(-length) : '' };
}

/**
 * The words that were probably meant, in the spelling of the documents: the word itself if a document contains it;
 * otherwise words one edit away; otherwise words that it is a prefix of; otherwise, if it is long, words two edits
 * away.
 *
 * @param candidates words that resemble it
 */
export function chooseWords(typed: string, candidates: readonly Word[]): string[] {
  const plain = normalizeText(typed);
  const known = candidates.filter((word) => word.plain === plain);
  if (known.length > 0) return known.map(({ written }) => written);
  if (plain.length < wordLengthMin) return [];
  const spellings = Map.groupBy(likeliest(plain, candidates), (word) => word.plain);
  return [...spellings.values()]
    .map((words) => ({ words, documents: Math.max(...words.map(({ documents }) => documents)) }))
    .toSorted((left, right) => right.documents - left.documents)
    .slice(0, guessesMax)
    .flatMap(({ words }) => words.map(({ written }) => written));
}

function likeliest(plain: string, candidates: readonly Word[]): readonly Word[] {
  const within = (edits: number) => candidates.filter((word) => editDistance(plain, word.plain, edits) <= edits);
  const near = within(1);
  if (near.length > 0) return near;
  const longer = candidates.filter((word) => word.plain.startsWith(plain));
  return longer.length > 0 || plain.length < wordLengthForTwoEdits ? longer : within(2);
}

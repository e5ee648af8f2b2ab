import { editDistance } from '#src/lib/edit-distance.ts';
import { normalizeText } from '../catalog/index.ts';

interface Word {
  /** Normalized, for comparison. */
  readonly plain: string;
  /** The spellings in documents, which may differ in accents. */
  readonly written: string[];
  /** How often the documents contain it. */
  count: number;
}

/** How many corrections one unknown word has at most. */
const guessesMax = 3;

/** Shorter words are one edit away from too many others. */
const wordLengthMin = 3;

/** The length from which a word may differ in two edits. */
const wordLengthForTwoEdits = 8;

const noWords: readonly Word[] = [];

/** Words of letters: numbers are not corrected. */
export const wordPattern = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}]{3,40}(?![\p{L}\p{M}\p{N}])/gu;

/** The words of a store's documents, to correct misspelled words. */
export class Vocabulary {
  readonly #words = new Map<string, Word>();
  readonly #byLength: Word[][] = [];

  constructor(text: string) {
    for (const [written] of text.toLowerCase().matchAll(wordPattern)) this.#add(written);
  }

  get size(): number {
    return this.#words.size;
  }

  /**
   * The words that were probably meant, in the spelling of the documents: the word itself if a document contains it;
   * otherwise words one edit away; otherwise words that it is a prefix of; otherwise, if it is long, words two edits
   * away.
   */
  guess(typed: string): string[] {
    const plain = normalizeText(typed);
    const known = this.#words.get(plain);
    if (known) return known.written;
    if (plain.length < wordLengthMin) return [];
    return this.#candidates(plain)
      .toSorted((left, right) => right.count - left.count)
      .slice(0, guessesMax)
      .flatMap(({ written }) => written);
  }

  #candidates(plain: string): readonly Word[] {
    const near = this.#within(plain, 1);
    if (near.length > 0) return near;
    const longer = this.#withPrefix(plain);
    return longer.length > 0 || plain.length < wordLengthForTwoEdits ? longer : this.#within(plain, 2);
  }

  #within(plain: string, edits: number): readonly Word[] {
    return this.#byLength
      .slice(Math.max(0, plain.length - edits), plain.length + edits + 1)
      .flatMap((words) => (words ?? noWords).filter((word) => editDistance(plain, word.plain, edits) <= edits));
  }

  #withPrefix(plain: string): readonly Word[] {
    return this.#byLength
      .slice(plain.length + 1)
      .flatMap((words) => (words ?? noWords).filter((word) => word.plain.startsWith(plain)));
  }

  #add(written: string): void {
    const plain = normalizeText(written);
    const word = this.#words.get(plain);
    if (word?.written.includes(written)) word.count += 1;
    else if (word) word.written.push(written);
    else this.#addNew({ plain, written: [written], count: 1 });
  }

  #addNew(word: Word): void {
    this.#words.set(word.plain, word);
    (this.#byLength[word.plain.length] ??= []).push(word);
  }
}

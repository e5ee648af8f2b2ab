import { normalizeText } from '../catalog/index.ts';

interface Word {
  /** Without case and accents, as it is compared. */
  readonly plain: string;
  /** As documents have it: several where only accents differ. */
  readonly written: string[];
  /** How often they have it. */
  count: number;
}

/** So many words are held against one that was typed and that nothing is called. */
const guessesMax = 3;

/** Shorter words are one slip of a finger from too many others. */
const wordLengthMin = 3;

/** A word this long is like no other by chance, even with two slips. */
const wordLengthForTwoEdits = 8;

const noWords: readonly Word[] = [];

/** Words of letters: nobody mistypes a number into another word. */
export const wordPattern = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}]{3,40}(?![\p{L}\p{M}\p{N}])/gu;

/** The words that a store calls its things by: what a word that was mistyped was probably meant to be. */
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
   * The words that this one was probably meant to be, as documents have them: itself, if it is one of theirs; else those
   * that are one slip away; else those that it begins; else, if it is long, those two slips away. None, if it is like none.
   */
  guess(typed: string): string[] {
    const plain = normalizeText(typed);
    const known = this.#words.get(plain);
    if (known) return known.written;
    if (plain.length < wordLengthMin) return [];
    return this.#meantBy(plain)
      .toSorted((left, right) => right.count - left.count)
      .slice(0, guessesMax)
      .flatMap(({ written }) => written);
  }

  #meantBy(plain: string): readonly Word[] {
    const near = this.#alike(plain, 1);
    if (near.length > 0) return near;
    const begun = this.#begunBy(plain);
    return begun.length > 0 || plain.length < wordLengthForTwoEdits ? begun : this.#alike(plain, 2);
  }

  #alike(plain: string, slips: number): readonly Word[] {
    return this.#byLength
      .slice(Math.max(0, plain.length - slips), plain.length + slips + 1)
      .flatMap((words) => (words ?? noWords).filter((word) => editDistance(plain, word.plain, slips) <= slips));
  }

  #begunBy(plain: string): readonly Word[] {
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

/**
 * How many letters must be added, dropped, replaced or made to change places with their neighbour to make one word of
 * the other (optimal string alignment): `most + 1` where they are more than `most`.
 */
export function editDistance(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at += 1) {
    const next = [at];
    let least = at;
    for (let to = 1; to <= right.length; to += 1) {
      const isSame = left[at - 1] === right[to - 1];
      let changes = Math.min((row[to - 1] ?? 0) + (isSame ? 0 : 1), (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1);
      const isSwapped = at > 1 && to > 1 && left[at - 1] === right[to - 2] && left[at - 2] === right[to - 1];
      if (isSwapped) changes = Math.min(changes, (before[to - 2] ?? 0) + 1);
      next.push(changes);
      if (changes < least) least = changes;
    }
    if (least > most) return most + 1;
    before = row;
    row = next;
  }
  return Math.min(row[right.length] ?? 0, most + 1);
}

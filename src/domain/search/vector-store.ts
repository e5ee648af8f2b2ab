import { setImmediate as nextIteration } from 'node:timers/promises';
import type { DocumentKey } from './request-embedding.ts';

/** A stored vector, or null for a document without one. */
export interface StoredVector extends DocumentKey {
  /** PostgreSQL's binary form of `real[]`. */
  readonly packed: Buffer | null;
}

export interface Neighbour extends DocumentKey {
  /** From -1 to 1. */
  readonly similarity: number;
}

/** How many vectors an array has: it grows by as many, without being copied. A multiple of those compared together. */
const chunkSize = 64;

/**
 * The vectors of one store in memory, for an exact comparison with each of them. Up to some ten thousand vectors this
 * is faster than a query.
 */
export class VectorStore {
  readonly dimensions: number;
  readonly #documentsMax: number;
  #count = 0;
  readonly #chunks: Float32Array[] = [];
  readonly #keys: DocumentKey[] = [];
  readonly #places = new Map<string, number>();

  /** @param documentsMax how many vectors are stored; further ones are ignored */
  constructor(dimensions: number, documentsMax = Infinity) {
    this.dimensions = dimensions;
    this.#documentsMax = documentsMax;
  }

  get size(): number {
    return this.#count;
  }

  /** The approximate memory usage. */
  get bytes(): number {
    return this.#chunks.length * chunkBytes(this.dimensions);
  }

  apply({ kind, id, packed }: StoredVector): void {
    const isUsable = packed !== null && dimensionsOf(packed) === this.dimensions;
    if (isUsable) this.#put({ kind, id }, packed);
    else this.#remove(nameOf({ kind, id }));
  }

  /**
   * The documents of these kinds that are most similar to a vector of the same length, most similar first. Other work
   * of the process goes on meanwhile; a vector that changes then may be missed.
   */
  async nearest(query: Float32Array, kinds: readonly string[], count: number): Promise<Neighbour[]> {
    const best: Neighbour[] = [];
    for (let chunk = 0; chunk < this.#chunks.length; chunk += 1) {
      if (chunk > 0 && chunk % chunksWithoutPause === 0) await nextIteration();
      for (const [place, similarity] of this.#compare(query, chunk).entries()) {
        const key = this.#keys[chunk * chunkSize + place];
        if (key && kinds.includes(key.kind)) insert(best, key, similarity, count);
      }
    }
    return best;
  }

  /** The similarity of each vector of a chunk, four at a time: independent sums let the processor work in parallel. */
  #compare(query: Float32Array, chunk: number): Float64Array {
    const { dimensions } = this;
    const similarities = new Float64Array(chunkSize);
    const vectors = this.#chunks[chunk] ?? new Float32Array();
    const used = Math.min(chunkSize, this.#count - chunk * chunkSize);
    for (let row = 0; row < used; row += lanes) {
      const first = row * dimensions;
      const second = first + dimensions;
      const third = second + dimensions;
      const fourth = third + dimensions;
      let [one, two, three, four] = [0, 0, 0, 0];
      for (let at = 0; at < dimensions; at += 1) {
        const wanted = query[at] ?? 0;
        one += wanted * (vectors[first + at] ?? 0);
        two += wanted * (vectors[second + at] ?? 0);
        three += wanted * (vectors[third + at] ?? 0);
        four += wanted * (vectors[fourth + at] ?? 0);
      }
      similarities[row] = one;
      similarities[row + 1] = two;
      similarities[row + 2] = three;
      similarities[row + 3] = four;
    }
    return similarities;
  }

  #put(key: DocumentKey, packed: Buffer): void {
    const name = nameOf(key);
    const place = this.#places.get(name) ?? this.#count;
    if (place === this.#documentsMax) return;
    if (place === this.#count) {
      this.#count += 1;
      this.#keys[place] = key;
      this.#places.set(name, place);
      if (place % chunkSize === 0) this.#chunks.push(new Float32Array(chunkSize * this.dimensions));
    }
    unpack(packed, this.#at(place));
  }

  /** The place of a vector in its array. */
  #at(place: number): Float32Array {
    const from = (place % chunkSize) * this.dimensions;
    return this.#chunks[Math.floor(place / chunkSize)]?.subarray(from, from + this.dimensions) ?? new Float32Array();
  }

  /** The last vector is moved to the free place. */
  #remove(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    const last = this.#count - 1;
    const key = this.#keys[last];
    this.#at(place).set(this.#at(last));
    if (last % chunkSize === 0) this.#chunks.pop();
    this.#places.delete(name);
    if (key && last !== place) {
      this.#keys[place] = key;
      this.#places.set(nameOf(key), place);
    }
    this.#keys.length = last;
    this.#count = last;
  }
}

const lanes = 4;

/** How many chunks are compared without a pause: at the usual 1,536 dimensions, for less than a millisecond. */
const chunksWithoutPause = 8;

/** The approximate memory of an array with the keys of its vectors. */
const chunkBytes = (dimensions: number) => chunkSize * (dimensions * 4 + 200);

/** How many vectors of this length a store may have, so that it needs at most this memory. */
export const vectorsWithin = (bytes: number, dimensions: number): number =>
  chunkSize * Math.floor(bytes / chunkBytes(dimensions));

const nameOf = ({ kind, id }: DocumentKey) => `${kind}:${id}`;

/**
 * The list is short and most vectors do not enter it, so sorted insertion is enough. A vector that was removed
 * and put again during the comparison is found twice.
 */
function insert(best: Neighbour[], { kind, id }: DocumentKey, similarity: number, count: number): void {
  if (best.length === count && similarity <= (best.at(-1)?.similarity ?? 0)) return;
  if (best.some((found) => found.id === id && found.kind === kind)) return;
  let at = best.length;
  while (at > 0 && (best[at - 1]?.similarity ?? 0) < similarity) at -= 1;
  best.splice(at, 0, { kind, id, similarity });
  if (best.length > count) best.pop();
}

/* PostgreSQL's binary form of `real[]`. */

/** The header has three 4-byte words, and two for the one dimension. Then each number follows its length. */
const headBytes = 20;
const lengthAt = 12;
const bytesEach = 8;

/** The number of dimensions of a packed vector. */
const dimensionsOf = (packed: Buffer) => (packed.length > headBytes ? packed.readInt32BE(lengthAt) : 0);

/** Write the numbers of a packed vector. */
function unpack(packed: Buffer, into: Float32Array): void {
  for (let index = 0; index < into.length; index += 1) {
    into[index] = packed.readFloatBE(headBytes + index * bytesEach + 4);
  }
}

/** Scale a vector to length one, so that the dot product of two vectors is their cosine similarity. */
export function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : vector;
}

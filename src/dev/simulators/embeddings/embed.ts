import { conceptFor } from './synonyms.ts';

const ignored = new Set('a an and are as at by for from in is it its of on or the this to with you your'.split(' '));
const wordsStoredMax = 20_000;
/** How much of a word is what it means, and how much is how it is spelt: cosine 0.85 between synonyms. */
const meaningWeight = 0.92;
const spellingWeight = 0.39;
/** How much a word weighs that the table does not hold: as with a real model, what a text is about outweighs the rest. */
const otherWordWeight = 0.4;

/**
 * A vector of length one for a text, the same every time.
 *
 * No model: each word is a sum of directions drawn from its letters, three at a time, so that words
 * spelt alike lie near each other, and for the words of a small table from what they mean.
 */
export function createEmbedder(): (text: string, dimensions: number) => Float32Array {
  const known = new Map<string, Float32Array>();

  function vectorOf(word: string, dimensions: number): Float32Array {
    const key = `${dimensions} ${word}`;
    const found = known.get(key);
    if (found) return found;
    const vector = wordVector(word, dimensions);
    if (known.size >= wordsStoredMax) known.clear();
    known.set(key, vector);
    return vector;
  }

  return (text, dimensions) => {
    const sum = new Float32Array(dimensions);
    for (const word of wordsOf(text))
      addTo(sum, vectorOf(word, dimensions), conceptFor(word) === undefined ? otherWordWeight : 1);
    return normalised(sum);
  };
}

function wordsOf(text: string): string[] {
  const plain = text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  const words = (plain.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []).map((word) => word.replace(/['’-]/g, ''));
  const telling = words.filter((word) => !ignored.has(word));
  // A text of nothing but little words, or of none, still has to lie somewhere.
  return telling.length > 0 ? telling.map(singular) : words.length > 0 ? words : ['∅'];
}

function singular(word: string): string {
  if (conceptFor(word) !== undefined || word.length < 4 || /(ss|us|is)$/.test(word)) return word;
  if (/(sh|ch|x|s)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

function wordVector(word: string, dimensions: number): Float32Array {
  const spelling = new Float32Array(dimensions);
  const framed = [...`<${word}>`];
  for (let at = 0; at + 3 <= framed.length; at += 1) {
    addTo(spelling, direction(framed.slice(at, at + 3).join(''), dimensions), 1);
  }
  addTo(spelling, direction(`word ${word}`, dimensions), 1);
  const concept = conceptFor(word);
  if (concept === undefined) return normalised(spelling);

  const vector = new Float32Array(dimensions);
  addTo(vector, normalised(direction(`concept ${concept}`, dimensions)), meaningWeight);
  addTo(vector, normalised(spelling), spellingWeight);
  return normalised(vector);
}

/** A direction that is as good as random, the same for the same name. */
function direction(name: string, dimensions: number): Float32Array {
  let state = 2_166_136_261;
  for (let at = 0; at < name.length; at += 1) state = Math.imul(state ^ name.charCodeAt(at), 16_777_619);
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    vector[at] = ((mixed ^ (mixed >>> 14)) >>> 0) / 2_147_483_648 - 1;
  }
  return vector;
}

function addTo(sum: Float32Array, vector: Float32Array, weight: number): void {
  for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0) * weight;
}

function normalised(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

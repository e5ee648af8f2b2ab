import { seededNumbers } from '../random.ts';

const ignored = new Set('a an and are as at by for from in is it its of on or the this to with you your'.split(' '));
const wordsStoredMax = 20_000;
/** The weights of a word's meaning and of its spelling: cosine 0.85 between synonyms. */
const meaningWeight = 0.92;
const spellingWeight = 0.39;
/** The weight of a word that is not in the table: as with a real model, the subject of a text outweighs the rest. */
const otherWordWeight = 0.4;

/**
 * A vector of length one for a text, the same every time.
 *
 * No model: each word is a sum of directions that its letters determine, three at a time, so that words
 * spelt alike lie near each other; and for the words of a small table their meaning.
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
  const meaningful = words.filter((word) => !ignored.has(word));
  // A text of ignored words only, or of none, still needs a vector.
  return meaningful.length > 0 ? meaningful.map(singular) : words.length > 0 ? words : ['∅'];
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

/** A pseudorandom direction, the same for the same name. */
function direction(name: string, dimensions: number): Float32Array {
  let state = 2_166_136_261;
  for (let at = 0; at < name.length; at += 1) state = Math.imul(state ^ name.charCodeAt(at), 16_777_619);
  const vector = new Float32Array(dimensions);
  const next = seededNumbers(state);
  for (let at = 0; at < dimensions; at += 1) vector[at] = next() * 2 - 1;
  return vector;
}

function addTo(sum: Float32Array, vector: Float32Array, weight: number): void {
  for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0) * weight;
}

function normalised(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** Synonyms of a homeware and clothing store. */
const groups: readonly (readonly string[])[] = [
  ['mug', 'cup', 'teacup', 'beaker', 'tumbler'],
  ['bowl', 'dish', 'basin'],
  ['plate', 'platter', 'saucer'],
  ['glass', 'goblet'],
  ['pitcher', 'jug', 'carafe', 'ewer'],
  ['pan', 'skillet', 'fryingpan'],
  ['pot', 'saucepan', 'casserole'],
  ['cutlery', 'flatware', 'silverware'],
  ['sofa', 'couch', 'settee', 'loveseat'],
  ['chair', 'seat', 'armchair', 'stool'],
  ['table', 'desk'],
  ['lamp', 'light', 'lantern'],
  ['rug', 'carpet', 'mat'],
  ['blanket', 'throw', 'coverlet', 'quilt'],
  ['pillow', 'cushion'],
  ['curtain', 'drape'],
  ['towel', 'washcloth'],
  ['vase', 'urn'],
  ['planter', 'flowerpot'],
  ['candle', 'taper'],
  ['picture', 'print', 'poster', 'artwork'],
  ['tee', 'tshirt'],
  ['sweater', 'jumper', 'pullover', 'jersey'],
  ['jacket', 'coat', 'parka'],
  ['trousers', 'pants', 'slacks'],
  ['sneaker', 'trainer', 'shoe'],
  ['hat', 'cap', 'beanie'],
  ['bag', 'tote', 'satchel', 'purse'],
  ['soap', 'cleanser'],
  ['notebook', 'journal', 'diary'],
  ['toy', 'plaything'],
  ['gift', 'present'],
  ['stoneware', 'ceramic', 'pottery', 'earthenware'],
  ['wood', 'wooden', 'timber', 'oak'],
  ['wool', 'woollen', 'woolen', 'merino'],
  ['linen', 'flax'],
  ['small', 'little', 'tiny', 'mini'],
  ['large', 'big', 'huge'],
  ['warm', 'cosy', 'cozy', 'snug'],
  ['red', 'crimson', 'scarlet'],
  ['blue', 'navy', 'indigo'],
  ['grey', 'gray', 'charcoal'],
  ['white', 'ivory', 'cream'],
];

const conceptOf = new Map(groups.flatMap(([first = '', ...others]) => [first, ...others].map((word) => [word, first])));

/** The word that stands for a word and its synonyms, if it has any. */
function conceptFor(word: string): string | undefined {
  return conceptOf.get(word);
}

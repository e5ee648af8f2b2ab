/** Words of a homeware and clothing shop that mean nearly the same. */
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

/** The one word that stands for a word and all that mean nearly the same, if there is one. */
export function conceptFor(word: string): string | undefined {
  return conceptOf.get(word);
}

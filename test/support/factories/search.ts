import type { Context } from '#src/domain/context.ts';
import { buildProduct } from './catalog.ts';
import { buildEntry } from './content.ts';

/** A homeware and clothing store: slug, name, description, SKU. */
const products = [
  ['stoneware-mug', 'Stoneware mug', 'Holds a proper coffee. Glazed by hand.', 'MUG-STN'],
  ['espresso-tumbler', 'Espresso tumbler', 'For a short one in the morning.', 'TUM-ESP'],
  ['oak-bowl', 'Oak bowl', 'Turned from one piece of oak, oiled.', 'BWL-OAK'],
  ['enamel-basin', 'Enamel basin', 'For washing up outdoors.', 'BSN-ENM'],
  ['cast-iron-skillet', 'Cast iron skillet', 'Sears and bakes, for a lifetime.', 'SKL-IRN'],
  ['copper-saucepan', 'Copper saucepan', 'Heats evenly, and keeps its shine.', 'SPN-COP'],
  ['silver-flatware', 'Silver flatware', 'Forks, knives and spoons for six.', 'FLT-SLV'],
  ['linen-curtain', 'Linen curtain', 'Falls softly and lets the light in.', 'CRT-LIN'],
  ['velvet-sofa', 'Velvet sofa', 'Three seats and deep.', 'SOF-VEL'],
  ['rattan-armchair', 'Rattan armchair', 'Woven for the veranda.', 'ARM-RAT'],
  ['walnut-desk', 'Walnut desk', 'Two drawers and room for elbows.', 'DSK-WAL'],
  ['paper-lantern', 'Paper lantern', 'Folds flat when the party is over.', 'LTN-PAP'],
  ['jute-rug', 'Jute rug', 'Hard-wearing underfoot, two by three metres.', 'RUG-JUT'],
  ['wool-throw', 'Wool throw', 'Snug for winter evenings.', 'THR-WOL'],
  ['feather-cushion', 'Feather cushion', 'Soft and heavy.', 'CSH-FTH'],
  ['terry-washcloth', 'Terry washcloth', 'Dries overnight.', 'WSH-TER'],
  ['glass-carafe', 'Glass carafe', 'Pours without a drip.', 'CRF-GLS'],
  ['crystal-goblet', 'Crystal goblet', 'Rings when you toast with it.', 'GOB-CRY'],
  ['terracotta-flowerpot', 'Terracotta flowerpot', 'Breathes, so that roots do not drown.', 'POT-TER'],
  ['marble-urn', 'Marble urn', 'For dried branches in the hall.', 'URN-MAR'],
  ['botanical-poster', 'Botanical poster', 'Ferns after an old engraving.', 'PST-BOT'],
  ['leather-satchel', 'Leather satchel', 'Carries a laptop and lunch.', 'SAT-LEA'],
  ['rain-parka', 'Rain parka', 'Keeps the weather out.', 'PRK-RAN'],
  ['denim-trousers', 'Denim trousers', 'Wear in, not out.', 'TRS-DEN'],
  ['cashmere-pullover', 'Cashmere pullover', 'Next to nothing, and warm.', 'PUL-CSH'],
  ['organic-tee', 'Organic tee', 'Heavy cotton, boxy cut.', 'TEE-ORG'],
  ['canvas-sneaker', 'Canvas sneaker', 'Light on the foot.', 'SNK-CNV'],
  ['ribbed-beanie', 'Ribbed beanie', 'Covers the ears.', 'BNE-RIB'],
  ['lined-journal', 'Lined journal', 'Two hundred pages that lie flat.', 'JRN-LIN'],
  ['olive-soap', 'Olive soap', 'Cures for nine months.', 'SOP-OLV'],
  ['beeswax-taper', 'Beeswax taper', 'Burns for eight hours.', 'TPR-BEE'],
  ['rattle-toy', 'Rattle toy', 'Safe to chew.', 'TOY-RAT'],
] as const;

/**
 * What shoppers type, and the product that they mean, by difficulty: words that are there, slugs and SKUs,
 * slips of the finger, words that are not finished, and other words for the same thing.
 */
export const knownResults = {
  words: [
    ['stoneware mug', 'stoneware-mug'],
    ['oak', 'oak-bowl'],
    ['winter evenings', 'wool-throw'],
    ['parka', 'rain-parka'],
    ['carafe', 'glass-carafe'],
    ['cast iron', 'cast-iron-skillet'],
    ['ferns', 'botanical-poster'],
    ['forks and spoons', 'silver-flatware'],
    ['heavy cotton', 'organic-tee'],
    ['laptop', 'leather-satchel'],
    ['walnut desk', 'walnut-desk'],
    ['soaps', 'olive-soap'],
  ],
  names: [
    ['BWL-OAK', 'oak-bowl'],
    ['skl-irn', 'cast-iron-skillet'],
    ['velvet-sofa', 'velvet-sofa'],
    ['tpr-bee', 'beeswax-taper'],
    ['RUG-JUT', 'jute-rug'],
    ['rain-parka', 'rain-parka'],
    [' lined-journal ', 'lined-journal'],
    ['Tee-Org', 'organic-tee'],
  ],
  misspelled: [
    ['stonware mug', 'stoneware-mug'],
    ['velvit sofa', 'velvet-sofa'],
    ['linnen curtain', 'linen-curtain'],
    ['snaeker', 'canvas-sneaker'],
    ['jurnal', 'lined-journal'],
    ['cashmeer pulover', 'cashmere-pullover'],
    ['latern', 'paper-lantern'],
    ['terracota', 'terracotta-flowerpot'],
    ['sachel', 'leather-satchel'],
    ['beenie', 'ribbed-beanie'],
    ['rgu', 'jute-rug'],
    ['copper sacuepan', 'copper-saucepan'],
    ['marbel urn', 'marble-urn'],
    ['posterr', 'botanical-poster'],
    ['goblett crystal', 'crystal-goblet'],
    ['stonewaremug', 'stoneware-mug'],
  ],
  begun: [
    ['stonew', 'stoneware-mug'],
    ['espr', 'espresso-tumbler'],
    ['velvet so', 'velvet-sofa'],
    ['cashm', 'cashmere-pullover'],
    ['terrac', 'terracotta-flowerpot'],
    ['botan', 'botanical-poster'],
  ],
  synonyms: [
    ['pottery cup', 'stoneware-mug'],
    ['frying skillet pan', 'cast-iron-skillet'],
    ['couch', 'velvet-sofa'],
    ['woollen blanket', 'wool-throw'],
    ['pillow', 'feather-cushion'],
    ['jug', 'glass-carafe'],
    ['raincoat jacket', 'rain-parka'],
    ['drapes', 'linen-curtain'],
    ['diary', 'lined-journal'],
    ['candle', 'beeswax-taper'],
    ['cutlery', 'silver-flatware'],
    ['carpet', 'jute-rug'],
    ['slacks', 'denim-trousers'],
    ['jumper', 'cashmere-pullover'],
    ['tshirt', 'organic-tee'],
    ['trainers', 'canvas-sneaker'],
    ['cleanser', 'olive-soap'],
    ['artwork', 'botanical-poster'],
    ['plaything', 'rattle-toy'],
    ['vase of stone', 'marble-urn'],
    ['purse', 'leather-satchel'],
    ['planter', 'terracotta-flowerpot'],
    ['hat', 'ribbed-beanie'],
    ['table', 'walnut-desk'],
  ],
} as const satisfies Record<string, readonly (readonly [query: string, slug: string])[]>;

/** How many documents the store has: its products and an article. */
export const homewareDocuments = products.length + 1;

/** The store, with its products and an article. Its indexing jobs are enqueued. */
export async function buildHomeware(ctx: Context): Promise<void> {
  for (const [slug, name, description, sku] of products)
    await buildProduct(ctx, { slug, name, description, variants: [{ sku }] });
  await buildEntry(ctx, {
    slug: 'care-for-timber',
    title: 'Care for timber',
    body: { format: 'markdown', value: 'Oil it twice a year.' },
  });
}

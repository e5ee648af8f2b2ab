import type { Context } from '#src/domain/context.ts';
import { buildProduct } from './catalog.ts';
import { buildEntry } from './content.ts';

/** A small homeware shop. */
const products = [
  ['stoneware-mug', 'Stoneware mug', 'Holds a proper coffee. Glazed by hand.', 'MUG-STN'],
  ['espresso-tumbler', 'Espresso tumbler', 'For a short one in the morning.', 'TUM-ESP'],
  ['oak-bowl', 'Oak bowl', 'Turned from one piece of oak, oiled.', 'BWL-OAK'],
  ['cast-iron-skillet', 'Cast iron skillet', 'Sears and bakes, for a lifetime.', 'SKL-IRN'],
  ['linen-curtain', 'Linen curtain', 'Falls softly and lets the light in.', 'CRT-LIN'],
  ['velvet-sofa', 'Velvet sofa', 'Three seats and deep.', 'SOF-VEL'],
  ['wool-throw', 'Wool throw', 'Snug for winter evenings.', 'THR-WOL'],
  ['feather-cushion', 'Feather cushion', 'Soft and heavy.', 'CSH-FTH'],
  ['glass-carafe', 'Glass carafe', 'Pours without a drip.', 'CRF-GLS'],
  ['leather-satchel', 'Leather satchel', 'Carries a laptop and lunch.', 'SAT-LEA'],
  ['rain-parka', 'Rain parka', 'Keeps the weather out.', 'PRK-RAN'],
  ['canvas-sneaker', 'Canvas sneaker', 'Light on the foot.', 'SNK-CNV'],
  ['lined-journal', 'Lined journal', 'Two hundred pages that lie flat.', 'JRN-LIN'],
  ['beeswax-taper', 'Beeswax taper', 'Burns for eight hours.', 'TPR-BEE'],
] as const;

/** What shoppers type, and the product that they mean. */
export const knownAnswers = {
  words: [['stoneware mug', 'stoneware-mug'], ['oak', 'oak-bowl'], ['winter evenings', 'wool-throw'], ['parka', 'rain-parka'], ['carafe', 'glass-carafe']],
  names: [['BWL-OAK', 'oak-bowl'], ['skl-irn', 'cast-iron-skillet'], ['velvet-sofa', 'velvet-sofa'], ['tpr-bee', 'beeswax-taper']],
  misspelled: [['stonware mug', 'stoneware-mug'], ['velvit sofa', 'velvet-sofa'], ['linnen curtain', 'linen-curtain'], ['snaeker', 'canvas-sneaker'], ['jurnal', 'lined-journal']],
  synonyms: [['pottery cup', 'stoneware-mug'], ['frying skillet pan', 'cast-iron-skillet'], ['couch', 'velvet-sofa'], ['woollen blanket', 'wool-throw'],
    ['pillow', 'feather-cushion'], ['jug', 'glass-carafe'], ['raincoat jacket', 'rain-parka'], ['drapes', 'linen-curtain'], ['diary', 'lined-journal'], ['candle', 'beeswax-taper']],
} as const satisfies Record<string, readonly (readonly [query: string, slug: string])[]>;

/** The shop, with its products and an article. What indexes it is promised. */
export async function buildHomeware(ctx: Context): Promise<void> {
  for (const [slug, name, description, sku] of products) await buildProduct(ctx, { slug, name, description, variants: [{ sku }] });
  await buildEntry(ctx, { slug: 'care-for-timber', title: 'Care for timber', body: { format: 'markdown', value: 'Oil it twice a year.' } });
}

import { ProductInput, removeProduct, saveProduct } from '#src/domain/catalog/index.ts';
import { EntryInput, removeEntry, saveEntry } from '#src/domain/content/index.ts';
import { PartnerInput, savePartner } from '#src/domain/partners/index.ts';
import { GiftCardInput, normalisePromoCode, PromoCodeInput, removePromoCode, saveGiftCard, savePromoCode } from '#src/domain/promotions/index.ts';
import { ModulesInput, setModules } from '#src/domain/tenants/index.ts';
import { checkDuration, checkWebAddress } from './checks.ts';
import { keysSection } from './keys-section.ts';
import { many, one, type Section } from './section.ts';
import { checkSkus } from './check-skus.ts';

/** The sections of a store file in the order in which they are applied: what is named later may need what came before. */
export const sections: readonly Section[] = [
  one({
    name: 'modules',
    kind: 'modules',
    schema: ModulesInput,
    save: ({ ctx }, modules) => setModules(ctx, modules),
  }),
  keysSection,
  many({
    name: 'products',
    kind: 'product',
    schema: ProductInput,
    keyOf: ({ slug }) => slug,
    keyField: 'slug',
    check: ({ images }, settings) => (images ?? []).flatMap(({ url }, index) => checkWebAddress(`/images/${index}/url`, url, settings)),
    checkAll: checkSkus,
    save: ({ ctx, options: { setStock, prune } }, product) => saveProduct(ctx, product, { setStock, prune }),
  }),
  many({
    name: 'content',
    kind: 'content',
    schema: EntryInput,
    keyOf: ({ type, slug }) => `${type}/${slug}`,
    keyField: 'slug',
    check: ({ image }, settings) => checkWebAddress('/image/url', image?.url, settings),
    save: ({ ctx }, entry) => saveEntry(ctx, entry),
  }),
  many({
    name: 'promo_codes',
    kind: 'promo_code',
    schema: PromoCodeInput,
    keyOf: ({ code }) => normalisePromoCode(code),
    keyField: 'code',
    save: ({ ctx }, promo) => savePromoCode(ctx, promo),
  }),
  many({
    name: 'gift_cards',
    kind: 'gift_card',
    schema: GiftCardInput,
    keyOf: ({ code }) => code.toUpperCase().replaceAll(/[ -]/g, ''),
    keyField: 'code',
    save: ({ ctx, options }, card) => saveGiftCard(ctx, card, { setBalance: options.setStock }),
  }),
  many({
    name: 'partners',
    kind: 'partner',
    schema: PartnerInput,
    keyOf: ({ code }) => code.trim().toLowerCase(),
    keyField: 'code',
    check: ({ window }, settings) => checkDuration('/window', window, ['1h', '3650d'], settings),
    save: ({ ctx }, partner) => savePartner(ctx, partner),
  }),
];

import { describeOpenLabels } from '#src/domain/backoffice/index.ts';
import {
  issuesOfPrices,
  ProductInput,
  productSlugs,
  removeProduct,
  saveProduct,
  saveProducts,
} from '#src/domain/catalog/index.ts';
import { checkDuration, checkWebAddress } from '#src/domain/checks.ts';
import { EntryInput, entryNames, removeEntry, saveEntry } from '#src/domain/content/index.ts';
import {
  normalisePartnerCode,
  PartnerInput,
  partnerCodes,
  removePartner,
  savePartner,
} from '#src/domain/partners/index.ts';
import { issuesOfReminders, ReminderSettingsInput, saveReminderSettings } from '#src/domain/reminders/index.ts';
import {
  issuesOfShipping,
  SecondShippingAccountInput,
  ShippingAccountInput,
  saveSecondShippingAccount,
  saveShippingAccount,
} from '#src/domain/shipping/index.ts';
import { ModulesInput, setModules } from '#src/domain/tenants/index.ts';
import { checkSkus } from './check-skus.ts';
import { giftCardsSection } from './gift-cards-section.ts';
import { keysSection } from './keys-section.ts';
import { noteAnotherAccount } from './note-another-account.ts';
import { paymentsSection } from './payments-section.ts';
import { promoCodesSection } from './promo-codes-section.ts';
import { many, one, type Section } from './section.ts';
import { staffSection } from './staff-section.ts';
import { webhookEndpointsSection } from './webhook-endpoints-section.ts';

/** The sections of a store file in the order in which they are applied: what comes later may need what came before. */
export const sections: readonly Section[] = [
  one({
    name: 'modules',
    kind: 'modules',
    schema: ModulesInput,
    save: ({ ctx }, modules) => setModules(ctx, modules),
  }),
  paymentsSection,
  one({
    name: 'shipping',
    kind: 'shipping',
    schema: ShippingAccountInput,
    check: (account) => issuesOfShipping(account),
    async save(run, account) {
      const change = await saveShippingAccount(run.ctx, account);
      await noteAnotherAccount(run, change, 'api_key', describeOpenLabels);
      return change;
    },
  }),
  one({
    name: 'second_shipping',
    kind: 'second_shipping',
    schema: SecondShippingAccountInput,
    save: ({ ctx }, account) => saveSecondShippingAccount(ctx, account),
  }),
  keysSection,
  staffSection,
  many({
    name: 'products',
    kind: 'product',
    schema: ProductInput,
    keyOf: ({ slug }) => slug,
    keyField: 'slug',
    check: ({ images, variants }, settings, currency) => [
      ...(images ?? []).flatMap(({ url }, index) => checkWebAddress(`/images/${index}/url`, url, settings)),
      // Also of prices that are stored already: the file may give the store another currency.
      ...(currency ? issuesOfPrices(variants, currency) : []),
    ],
    checkAll: checkSkus,
    save: ({ ctx, options: { setStock, prune } }, product) => saveProduct(ctx, product, { setStock, prune }),
    saveAll: ({ ctx, options: { setStock, prune } }, products, saveOne) =>
      saveProducts(ctx, products, { setStock, prune }, saveOne),
    async prune({ ctx, record }, named) {
      const surplus = (await productSlugs(ctx)).filter((slug) => !named.has(slug));
      for (const slug of surplus) await record('product', await removeProduct(ctx, slug));
    },
  }),
  many({
    name: 'content',
    kind: 'content',
    schema: EntryInput,
    keyOf: ({ type, slug }) => `${type}/${slug}`,
    keyField: 'slug',
    check: ({ image }, settings) => checkWebAddress('/image/url', image?.url, settings),
    save: ({ ctx }, entry) => saveEntry(ctx, entry),
    async prune({ ctx, record }, named) {
      const surplus = (await entryNames(ctx)).filter(({ type, slug }) => !named.has(`${type}/${slug}`));
      for (const name of surplus) await record('content', await removeEntry(ctx, name));
    },
  }),
  // In the order in which a checkout locks what it holds.
  giftCardsSection,
  promoCodesSection,
  many({
    name: 'partners',
    kind: 'partner',
    schema: PartnerInput,
    keyOf: ({ code }) => normalisePartnerCode(code),
    keyField: 'code',
    check: ({ window }, settings) => checkDuration('/window', window, ['1h', '3650d'], settings),
    save: ({ ctx }, partner) => savePartner(ctx, partner),
    async prune({ ctx, record }, named) {
      const surplus = (await partnerCodes(ctx)).filter((code) => !named.has(code));
      for (const code of surplus) await record('partner', await removePartner(ctx, code));
    },
  }),
  webhookEndpointsSection,
  one({
    name: 'reminders',
    kind: 'reminders',
    schema: ReminderSettingsInput,
    check: issuesOfReminders,
    save: ({ ctx }, settings) => saveReminderSettings(ctx, settings),
  }),
];

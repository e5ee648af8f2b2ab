import { productSlugs } from '#src/domain/catalog/index.ts';
import { issue } from '#src/domain/checks.ts';
import {
  normalisePromoCode,
  PromoCodeInput,
  promoCodes,
  removePromoCode,
  savePromoCode,
} from '#src/domain/promotions/index.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { type ApplyRun, many } from './section.ts';

/** Promo codes. The products that one is for are those of the file and those that are there already. */
export const promoCodesSection = many({
  name: 'promo_codes',
  kind: 'promo_code',
  schema: PromoCodeInput,
  keyOf: ({ code }) => normalisePromoCode(code),
  keyField: 'code',
  async save(run, promo) {
    await rejectUnknownProducts(run, promo.products ?? []);
    return savePromoCode(run.ctx, promo);
  },
  async prune({ ctx, record }, named) {
    const surplus = (await promoCodes(ctx)).filter((code) => !named.has(code));
    for (const code of surplus) await record('promo_code', await removePromoCode(ctx, code));
  },
});

/** A slug that is mistyped would make a code that never applies. */
async function rejectUnknownProducts({ ctx }: ApplyRun, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return;
  const known = new Set(await productSlugs(ctx, slugs));
  const errors = slugs
    .map((slug, index) => issue(`/products/${index}`, `is no product of this store: ${slug}`))
    .filter((_, index) => !known.has(slugs[index] ?? ''));
  if (errors.length === 0) return;
  throw invalidRequest('A promo code names unknown products.', ...errors);
}

import { lockNames } from '#src/database/lock-names.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { roundPercent } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import { unknownSlugs } from '../catalog/index.ts';
import type { Change, IdentifiedChange } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { saveCoded } from '../save-coded.ts';
import { normalisePromoCode, PromoCode, type PromoCodeInput } from './promo-code.ts';

/**
 * Create a promo code or update it to `input`. A removed one becomes valid again. Its usage stays counted.
 * @throws DomainError `invalid_request` when it would end before it starts, or names a product that never was
 */
export async function savePromoCode(ctx: InTransaction, input: PromoCodeInput): Promise<IdentifiedChange> {
  const [change] = await savePromoCodes(ctx, [input]);
  if (!change) throw new TypeError('Saving a promo code returned no change.');
  return change;
}

/** The same for many. */
export async function savePromoCodes(
  ctx: InTransaction,
  inputs: readonly PromoCodeInput[],
): Promise<IdentifiedChange[]> {
  const given = inputs.map((input) => ({
    code: normalisePromoCode(input.code),
    wanted: completePromo(input),
    fields: Object.keys(input),
  }));
  await rejectUnknownProducts(
    ctx,
    given.flatMap(({ wanted }) => wanted.products),
  );
  return saveCoded(ctx, { entityName: PromoCode, kind: 'promo_code', idPrefix: 'promo' }, given);
}

async function rejectUnknownProducts(ctx: InTransaction, slugs: readonly string[]): Promise<void> {
  const unknown = await unknownSlugs(ctx, slugs);
  if (unknown.length === 0) return;
  const issues = unknown.map((slug) => ({
    path: `/products/${slugs.indexOf(slug)}`,
    code: 'unknown',
    detail: `names no product: ${slug}`,
  }));
  throw invalidRequest(`There is no product ${unknown.join(', ')}.`, ...issues);
}

/** Fill in the defaults of an input. */
function completePromo(input: PromoCodeInput) {
  const startsAt = input.starts_at ? new Date(input.starts_at) : null;
  const endsAt = input.ends_at ? new Date(input.ends_at) : null;
  if (startsAt && endsAt && endsAt <= startsAt) {
    throw invalidRequest('A promo code must end after it starts.', {
      path: '/ends_at',
      code: 'minimum',
      detail: 'must be later than starts_at',
    });
  }
  return {
    type: input.type,
    percent: input.value ? roundPercent(input.value) : null,
    valueCents: input.value_cents ?? null,
    minSubtotalCents: input.min_subtotal_cents ?? 0,
    usageLimit: input.usage_limit ?? null,
    perCustomerLimit: input.per_customer_limit ?? null,
    products: input.products ?? [],
    startsAt,
    endsAt,
    removedAt: null,
  };
}

/** Remove a promo code. Open checkouts keep their use of it, and its usage stays counted. */
export async function removePromoCode(ctx: InTransaction, written: string): Promise<Change> {
  const code = normalisePromoCode(written);
  const now = ctx.clock.now();
  await lockNames(ctx, 'promo_code', [code]);
  const [removed] = await ctx.tx.execute<{ id: string }>(sql`
    update promo_codes set removed_at = ${now}, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and code = ${code} and removed_at is null
    returning id`);
  return { ...removed, subject: `promo code ${code}`, action: removed ? 'removed' : 'unchanged', fields: [] };
}

import { readOne } from '#src/database/transact.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { PurchaseType, SubscriptionInterval } from './product-input.ts';

/** A line as the caller requests it. */
export interface WantedLine {
  readonly productSlug: string;
  readonly variantId?: string | null | undefined;
  readonly quantity: number;
  readonly purchaseType: PurchaseType;
  readonly interval?: SubscriptionInterval | null | undefined;
}

/** A requested line with its product, variant and price from the catalogue. */
export interface PricedLine {
  readonly productId: string;
  readonly productSlug: string;
  readonly productName: string;
  /** The variant that was named, or the product's only one. */
  readonly variantId: string;
  readonly variantNamed: boolean;
  readonly variantName: string;
  readonly sku: string;
  readonly quantity: number;
  readonly unitPriceCents: number;
  readonly purchaseType: PurchaseType;
  readonly interval: SubscriptionInterval | null;
  readonly weightOz: number | null;
  /** Whether the line needs shipping. */
  readonly ships: boolean;
  readonly imageUrl: string | null;
  readonly options: Readonly<Record<string, string>>;
}

/** What an order or an email calls a line: the product, and its variant where that has another name. */
export const lineName = ({ productName, variantName }: { productName: string; variantName: string | null }): string =>
  variantName && variantName !== productName ? `${productName}, ${variantName}` : productName;

/** The catalogue's data for a requested line. Ids are null for an unknown product or an ambiguous variant. */
interface FoundLine extends Omit<PricedLine, keyof WantedLine | 'variantNamed' | 'unitPriceCents' | 'productId'> {
  readonly productId: string | null;
  readonly productSlug: string;
  readonly variantId: string | null;
  readonly variantCount: number;
  readonly priceCents: number;
  readonly subscriptionPriceCents: number | null;
  readonly purchaseTypes: readonly PurchaseType[];
  readonly intervals: readonly SubscriptionInterval[];
}

/**
 * Price lines from the catalogue, in their order, with one statement.
 * @param pathOf where the request has a field of a line
 * @throws DomainError invalid `unknown_product`, `variant_required` or `price_unavailable`, with `errors` that name
 *   each line by its index
 */
export async function priceLines(
  ctx: Context,
  lines: readonly WantedLine[],
  pathOf = (index: number, field: string) => `/items/${index}/${field}`,
): Promise<PricedLine[]> {
  const found = await findLines(ctx, lines);
  const priced: PricedLine[] = [];
  const problems: Problem[] = [];
  lines.forEach((line, index) => {
    const result = priceLine(line, found[index]);
    if ('problem' in result) problems.push({ index, ...result });
    else priced.push(result);
  });
  if (problems.length > 0) throw errorOf(problems, pathOf);
  return priced;
}

/** Removed rows are excluded by a `case` for the reason given at `selectProducts`. */
async function findLines(ctx: Context, lines: readonly WantedLine[]): Promise<readonly FoundLine[]> {
  const wanted = lines.map(({ productSlug, variantId }) => ({ productSlug, variantId }));
  const row = await readOne<{ lines: FoundLine[] }>(
    ctx,
    sql`
    select coalesce(json_agg(json_build_object(
        'productId', p.id, 'productSlug', p.slug, 'productName', p.name, 'purchaseTypes', p.purchase_types,
        'intervals', p.subscription_intervals, 'imageUrl', p.images -> 0 ->> 'url', 'variantCount', v.count,
        'variantId', v.id, 'variantName', v.name, 'sku', v.sku, 'priceCents', v.price_cents,
        'subscriptionPriceCents', v.subscription_price_cents, 'weightOz', v.weight_oz, 'ships', v.ships,
        'options', v.options) order by w.position), '[]') as lines
    from rows from (jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as ("productSlug" text, "variantId" text))
      with ordinality as w("productSlug", "variantId", position)
    left join lateral (
      select * from products named where named.tenant_id = ${ctx.tenant.id} and named.slug = w."productSlug"
        and case when named.removed_at is null then named.status = 'published' end offset 0) p on true
    left join lateral (
      select candidate.*, count(*) over () as count from variants candidate
      where candidate.tenant_id = ${ctx.tenant.id} and candidate.product_id = p.id
        and case when candidate.removed_at is null then w."variantId" is null or candidate.id = w."variantId" end
      limit 1) v on true`,
    { brief: true },
  );
  return row?.lines ?? [];
}

type ProblemCode = 'unknown_product' | 'variant_required' | 'price_unavailable';
type LineProblem = { readonly problem: ProblemCode; readonly field: string };
type Problem = LineProblem & { readonly index: number };

function priceLine(line: WantedLine, found: FoundLine | undefined): PricedLine | LineProblem {
  const isSubscription = line.purchaseType === 'subscription';
  if (!found?.productId) return { problem: 'unknown_product', field: 'product_slug' };
  if (line.variantId && !found.variantId) return { problem: 'unknown_product', field: 'variant_id' };
  if (!found.variantId || (!line.variantId && (isSubscription || found.variantCount > 1))) {
    return { problem: 'variant_required', field: 'variant_id' };
  }
  if (!found.purchaseTypes.includes(line.purchaseType)) return { problem: 'price_unavailable', field: 'purchase_type' };
  if (isSubscription && !(line.interval && found.intervals.includes(line.interval))) {
    return { problem: 'price_unavailable', field: 'subscription_interval' };
  }
  const unitPriceCents = isSubscription ? found.subscriptionPriceCents : found.priceCents;
  if (unitPriceCents === null) return { problem: 'price_unavailable', field: 'purchase_type' };

  const { productId, productSlug, productName, variantId, variantName, sku, weightOz, ships, imageUrl, options } =
    found;
  return {
    productId,
    productSlug,
    productName,
    variantId,
    variantName,
    sku,
    weightOz,
    ships,
    imageUrl,
    options,
    unitPriceCents,
    variantNamed: Boolean(line.variantId),
    quantity: line.quantity,
    purchaseType: line.purchaseType,
    interval: isSubscription ? (line.interval ?? null) : null,
  };
}

const messages: Record<ProblemCode, string> = {
  unknown_product: 'There is no such product for sale.',
  variant_required: 'The variant must be named: this product has several, or is bought by subscription.',
  price_unavailable: 'This product is not sold in this way.',
};

function errorOf(problems: readonly Problem[], pathOf: (index: number, field: string) => string): DomainError {
  const code = problems[0]?.problem ?? 'unknown_product';
  const errors = problems.map(({ index, field, problem }) => ({
    path: pathOf(index, field),
    code: problem,
    detail: messages[problem],
  }));
  return new DomainError('invalid', code, messages[code], { extensions: { errors } });
}

/** The condition that a product is sold by subscription in this interval. A product that is not published is not. */
export const sellsInterval = (ctx: Context, productId: Sql, interval: SubscriptionInterval | null): Sql => sql`
  exists (
    select from products p
    where p.tenant_id = ${ctx.tenant.id} and p.id = ${productId} and p.status = 'published' and p.removed_at is null
      and 'subscription' = any(p.purchase_types) and ${interval} = any(p.subscription_intervals))`;

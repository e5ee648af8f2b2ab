import { type DomainError, invalidRequest } from '#src/lib/errors.ts';
import type { ImageInput, ProductInput, PurchaseType, SubscriptionInterval, VariantInput } from './product-input.ts';

/** A picture with everything said that an input may leave out. */
export interface Image {
  readonly url: string;
  readonly alt: string | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** A variant with everything said. `stock` stays apart: it is an opening value, and sales change it. */
export interface VariantRecord {
  readonly sku: string;
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
  readonly price_cents: number;
  readonly compare_at_cents: number | null;
  readonly subscription_price_cents: number | null;
  readonly weight_oz: number | null;
  readonly ships: boolean;
  readonly low_stock_at: number | null;
  readonly backorder: boolean;
}

/** A product with everything said, so that what is saved and what is given can be compared field by field. */
export interface ProductRecord {
  readonly name: string;
  readonly description: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly status: 'draft' | 'published';
  readonly images: readonly Image[];
  readonly purchase_types: readonly PurchaseType[];
  readonly subscription_intervals: readonly SubscriptionInterval[];
  readonly variants: readonly VariantRecord[];
}

/**
 * Say what an input leaves out.
 * @throws DomainError `invalid_request` when two variants share a SKU
 */
export function completeProduct(input: ProductInput): ProductRecord {
  const purchaseTypes = input.purchase_types ?? ['one_time'];
  const everyInterval: SubscriptionInterval[] = purchaseTypes.includes('subscription') ? ['month', 'quarter'] : [];
  rejectRepeatedSkus(input.variants);
  return {
    name: input.name,
    description: input.description ?? '',
    category: input.category ?? null,
    tags: [...new Set(input.tags ?? [])],
    status: input.status ?? 'published',
    images: (input.images ?? []).map(completeImage),
    purchase_types: purchaseTypes,
    subscription_intervals: input.subscription_intervals ?? everyInterval,
    variants: input.variants.map((variant) => completeVariant(variant, input.name)),
  };
}

export function completeImage({ url, alt, width, height }: ImageInput): Image {
  return { url, alt: alt ?? null, width: width ?? null, height: height ?? null };
}

function completeVariant(variant: VariantInput, productName: string): VariantRecord {
  return {
    sku: variant.sku,
    name: variant.name ?? productName,
    options: variant.options ?? {},
    price_cents: variant.price_cents,
    compare_at_cents: variant.compare_at_cents ?? null,
    subscription_price_cents: variant.subscription_price_cents ?? null,
    weight_oz: variant.weight_oz == null ? null : Math.round(variant.weight_oz * 1000) / 1000,
    ships: variant.ships ?? true,
    low_stock_at: variant.low_stock_at ?? null,
    backorder: variant.backorder ?? false,
  };
}

function rejectRepeatedSkus(variants: readonly VariantInput[]): void {
  const skus = variants.map(({ sku }) => sku);
  const repeated = skus.findIndex((sku, index) => skus.indexOf(sku) < index);
  if (repeated >= 0) throw rejectSku(`/variants/${repeated}/sku`, `Two variants have the SKU ${skus[repeated]}.`);
}

/** The refusal of a SKU that belongs to something else. */
export function rejectSku(path: string, sentence: string): DomainError {
  return invalidRequest(sentence, { path, code: 'uniqueItems', detail: 'names something else already' });
}

/** A name as it is sorted and searched: without case and accents, the same on every machine. */
export function normalizeText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
}

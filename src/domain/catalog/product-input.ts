import { type DomainError, invalidRequest } from '#src/lib/errors.ts';
import { Cents, Id, Name, Nullable, Omittable, Slug, type Static, type TSchema, Type, Url } from '#src/lib/schema.ts';

/** The largest stock quantity that an input may give. */
export const stockMax = 1_000_000;

export const Tag = Type.String({ pattern: '^[^\\s,](?:[^,]*[^\\s,])?$', maxLength: 60, examples: ['wood'] });

export const PurchaseType = Type.Enum(['one_time', 'subscription']);
export type PurchaseType = Static<typeof PurchaseType>;

export const SubscriptionInterval = Type.Enum(['month', 'quarter']);
export type SubscriptionInterval = Static<typeof SubscriptionInterval>;

/** Spaces around a text are no part of it: tables lose them. */
const trimmed = { trimmed: true };

/** An image hosted by the store. Its index in the list is its position. */
export const ImageInput = Type.Object({
  url: Url,
  alt: Omittable(Type.String({ ...trimmed, maxLength: 500 })),
  width: Omittable(Type.Integer({ minimum: 1, maximum: 100_000 })),
  height: Omittable(Type.Integer({ minimum: 1, maximum: 100_000 })),
});
export type ImageInput = Static<typeof ImageInput>;

export const Sku = Name(100, { ...trimmed, examples: ['BOWL-S'] });

/** One thing that can be bought. Its SKU identifies it. */
export const VariantInput = Type.Object(
  {
    sku: Sku,
    name: Omittable(Name(200, { ...trimmed, examples: ['Small'] })),
    options: Omittable(
      Type.Record(Type.String(), Type.String({ maxLength: 200 }), {
        maxProperties: 50,
        propertyNames: { maxLength: 100 },
      }),
    ),
    price_cents: Cents,
    compare_at_cents: Omittable(Cents),
    /** The price of each interval. Without it the variant is not sold by subscription. */
    subscription_price_cents: Omittable(Cents),
    weight_oz: Omittable(Type.Number({ minimum: 0, maximum: 100_000 })),
    /** Whether the variant needs shipping. */
    ships: Omittable(Type.Boolean()),
    /** The opening stock; null is not tracked. */
    stock: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: stockMax }))),
    low_stock_at: Omittable(Type.Integer({ minimum: 0, maximum: stockMax })),
    /** Whether it can be sold when it is out of stock. */
    backorder: Omittable(Type.Boolean()),
  },
  { title: 'VariantInput' },
);
export type VariantInput = Static<typeof VariantInput>;

/** The variants of one product. */
export const Variants = <Schema extends TSchema>(variant: Schema) =>
  Type.Array(variant, { minItems: 1, maxItems: 100 });

/** A product as the store file and the admin API write it. */
export const ProductInput = Type.Object({
  slug: Slug,
  name: Name(200, { ...trimmed, examples: ['Oak bowl'] }),
  description: Omittable(Type.String({ ...trimmed, maxLength: 20_000 })),
  category: Omittable(Name(100, { ...trimmed, examples: ['kitchen'] })),
  tags: Omittable(Type.Array(Tag, { maxItems: 50 })),
  /** Only published products are visible and sold. */
  status: Omittable(Type.Enum(['draft', 'published'])),
  images: Omittable(Type.Array(ImageInput, { maxItems: 50 })),
  purchase_types: Omittable(Type.Array(PurchaseType, { minItems: 1, maxItems: 2, uniqueItems: true })),
  /** Default: every interval, for a product that is sold by subscription. */
  subscription_intervals: Omittable(Type.Array(SubscriptionInterval, { maxItems: 2, uniqueItems: true })),
  variants: Variants(VariantInput),
});

/** What replaces a product as a whole. The slug identifies the product and cannot be changed. */
export const ProductReplacement = Type.Object({
  ...Type.Omit(ProductInput, ['slug']).properties,
  variants: Variants(
    Type.Object(
      {
        ...VariantInput.properties,
        id: Omittable(
          Type.String({
            ...Id('var'),
            description:
              'With the id of a variant of this product, another SKU is its new one. Otherwise it is a new variant.',
          }),
        ),
      },
      { title: 'VariantReplacement' },
    ),
  ),
});

/** A product as a whole, of which variants may be named by their ids. */
export type ProductInput = Static<typeof ProductReplacement> & { readonly slug: string };

/** An image with all defaults filled in. */
export interface Image {
  readonly url: string;
  readonly alt: string | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** A variant with all defaults filled in, without `stock`: that is an opening value, which sales change later. */
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

/** A product with all defaults filled in, so that stored and given values can be compared field by field. */
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
 * Fill in the defaults of an input.
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
  if (repeated >= 0) {
    throw rejectSku(
      `/variants/${repeated}/sku`,
      `Two variants have the SKU ${skus[repeated]}.`,
      'is that of another variant',
    );
  }
}

/** @returns the error for a SKU that belongs to another variant */
export function rejectSku(path: string, message: string, detail: string): DomainError {
  return invalidRequest(message, { path, code: 'uniqueItems', detail });
}

import { presentAs } from '#src/lib/present-as.ts';
import { Cents, Currency, Id, Nullable, Slug, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Image, PurchaseType, SubscriptionInterval, Tag } from './product-input.ts';
import type { ProductRow, VariantRow } from './published-products.ts';
import { buyableQuantity, type InventoryRow, stockStatus } from './stock-level.ts';

export const StockStatusBody = Type.Enum(['in_stock', 'low_stock', 'out_of_stock', 'backorder']);

export const ImageBody = Type.Object(
  {
    url: Type.String({ examples: ['https://cdn.example.com/oak-bowl.jpg'] }),
    alt: Nullable(Type.String()),
    width: Nullable(Type.Integer()),
    height: Nullable(Type.Integer()),
    position: Type.Integer(),
  },
  { title: 'Image' },
);

export const RatingBody = Type.Object({ count: Type.Integer(), average: Type.Number({ examples: [4.5] }) });

const productFields = {
  id: Id('prod'),
  slug: Slug,
  name: Type.String({ examples: ['Oak bowl'] }),
  description: Type.String(),
  category: Nullable(Type.String({ examples: ['kitchen'] })),
  tags: Type.Array(Tag),
  images: Type.Array(ImageBody),
  price_cents: Cents,
  /** What it cost before; null unless that is more than its price. */
  compare_at_cents: Nullable(Cents),
  currency: Currency,
  purchase_types: Type.Array(PurchaseType),
  subscription_intervals: Type.Array(SubscriptionInterval),
  rating: RatingBody,
  in_stock: Type.Boolean(),
  updated_at: Timestamp,
};

export const VariantBody = Type.Object(
  {
    id: Id('var'),
    sku: Type.String({ examples: ['BOWL-S'] }),
    name: Type.String({ examples: ['Small'] }),
    options: Type.Record(Type.String(), Type.String()),
    price_cents: Cents,
    subscription_price_cents: Nullable(Cents),
    weight_oz: Nullable(Type.Number()),
    stock_status: StockStatusBody,
  },
  { title: 'Variant' },
);

export const ProductBody = Type.Object(productFields, { title: 'Product' });
export const ProductDetailBody = Type.Object(
  { ...productFields, variants: Type.Array(VariantBody) },
  { title: 'ProductDetail' },
);

export const InventoryBody = Type.Object(
  {
    variant_id: Id('var'),
    sku: Type.String({ examples: ['BOWL-S'] }),
    status: StockStatusBody,
    max_quantity: Type.Integer(),
  },
  { title: 'VariantStock' },
);

/** A product in lists and search results. A store sells in one currency. */
export function presentProduct(product: ProductRow, currency: string): Static<typeof ProductBody> {
  const { priceCents, compareAtCents } = product;
  return presentAs(ProductBody, {
    ...product,
    images: presentImages(product.images),
    compareAtCents: compareAtCents !== null && compareAtCents > priceCents ? compareAtCents : null,
    currency,
    rating: { count: product.ratingCount, average: product.ratingAverage },
    updatedAt: new Date(product.updatedAt),
  });
}

/** A product with its variants. */
export function presentProductDetail(
  product: ProductRow & { readonly variants: readonly VariantRow[] },
  currency: string,
): Static<typeof ProductDetailBody> {
  return { ...presentProduct(product, currency), variants: product.variants.map(presentVariant) };
}

function presentVariant(variant: VariantRow): Static<typeof VariantBody> {
  return presentAs(VariantBody, { ...variant, stockStatus: stockStatus(variant) });
}

export function presentImages(images: readonly Image[]): Static<typeof ImageBody>[] {
  return images.map(({ url, alt, width, height }, position) => ({ url, alt, width, height, position }));
}

export function presentInventory(variant: InventoryRow): Static<typeof InventoryBody> {
  return {
    variant_id: variant.variantId,
    sku: variant.sku,
    status: stockStatus(variant),
    max_quantity: buyableQuantity(variant),
  };
}

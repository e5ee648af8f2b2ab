import { Cents, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import type { StockMove } from './change-stock.ts';
import type { ManagedProduct, ManagedVariant } from './managed-products.ts';
import { ProductBody, presentProduct, ReviewBody, VariantBody } from './present.ts';
import { type ManagedReview, reviewStatuses } from './reviews.ts';
import { stockStatus } from './stock-level.ts';

const Stock = Nullable(
  Type.Integer({
    examples: [100],
    description: 'Quantity on hand, including held stock; null is not tracked.',
  }),
);
const Held = Type.Integer({ examples: [2], description: 'Quantity that open checkouts hold.' });

const ManagedVariantView = Type.Object(
  {
    ...VariantBody.properties,
    compare_at_cents: Nullable(Cents),
    ships: Type.Boolean(),
    stock: Stock,
    stock_held: Held,
    low_stock_at: Nullable(Type.Integer({ examples: [5] })),
    backorder: Type.Boolean(),
  },
  { title: 'ManagedVariant' },
);

/** A product as the owner sees it. Sending it back unchanged changes nothing. */
export const ManagedProductView = Type.Object(
  {
    ...ProductBody.properties,
    status: Type.Enum(['draft', 'published']),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
    variants: Type.Array(ManagedVariantView),
  },
  { title: 'ManagedProduct' },
);

export function presentManagedProduct(product: ManagedProduct, currency: string): Static<typeof ManagedProductView> {
  return {
    ...presentProduct(product, currency),
    status: product.status,
    version: product.version,
    created_at: product.createdAt.toISOString(),
    variants: product.variants.map(presentManagedVariant),
  };
}

function presentManagedVariant(variant: ManagedVariant): Static<typeof ManagedVariantView> {
  return {
    id: variant.id,
    sku: variant.sku,
    name: variant.name,
    options: { ...variant.options },
    price_cents: variant.priceCents,
    compare_at_cents: variant.compareAtCents,
    subscription_price_cents: variant.subscriptionPriceCents,
    weight_oz: variant.weightOz,
    ships: variant.ships,
    stock: variant.stock,
    stock_held: variant.stockHeld,
    low_stock_at: variant.lowStockAt,
    backorder: variant.backorder,
    stock_status: stockStatus(variant),
  };
}

/** The stock of a variant after a change. */
export const StockView = Type.Object(
  {
    variant_id: Id('var'),
    sku: Type.String({ examples: ['BOWL-S'] }),
    quantity: Stock,
    held: Held,
  },
  { title: 'Stock' },
);

export function presentStock({ variantId, sku, after, held }: StockMove): Static<typeof StockView> {
  return { variant_id: variantId, sku, quantity: after, held };
}

/** A review as the owner sees it, with the author's email. */
export const ManagedReviewView = Type.Object(
  {
    ...ReviewBody.properties,
    product_slug: Type.String({ examples: ['oak-bowl'] }),
    status: Type.Enum([...reviewStatuses]),
    email: Nullable(Type.String({ examples: ['ada@example.com'] })),
    decided_at: Nullable(Timestamp),
  },
  { title: 'ManagedReview' },
);

export function presentManagedReview(review: ManagedReview): Static<typeof ManagedReviewView> {
  const { id, rating, title, body, authorName, verifiedPurchase, productSlug, status, email } = review;
  return {
    id,
    rating,
    title,
    body,
    author_name: authorName,
    verified_purchase: verifiedPurchase,
    product_slug: productSlug,
    status,
    email,
    created_at: review.createdAt.toISOString(),
    decided_at: review.decidedAt?.toISOString() ?? null,
  };
}

import { days } from '#src/lib/duration.ts';
import type { PurchaseType, StockLevel, SubscriptionInterval } from '../catalog/index.ts';

/** A cart is for a while: after that nobody finds it. */
export const cartLifeMs = days(30);

/** The most lines that a cart may hold; the schema of the table says the same. */
export const linesMax = 100;

/** A cart as one JSON document, with what the catalogue says now of everything in it. Its times are RFC 3339. */
export interface CartRecord {
  readonly id: string;
  readonly status: 'active' | 'converted';
  readonly currency: string;
  readonly sessionId: string | null;
  readonly customerId: string | null;
  readonly version: number;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lines: readonly CartLineRecord[];
}

export interface CartLineRecord extends StockLevel {
  readonly id: string;
  readonly variantId: string;
  readonly variantNamed: boolean;
  readonly variantName: string;
  readonly sku: string;
  readonly productId: string;
  readonly productSlug: string;
  readonly productName: string;
  readonly imageUrl: string | null;
  readonly quantity: number;
  readonly purchaseType: PurchaseType;
  readonly interval: SubscriptionInterval | null;
  /** What the catalogue asks for one; null where it is not sold in this way any more. */
  readonly priceCents: number | null;
  /** What the shopper last saw. */
  readonly seenPriceCents: number;
}

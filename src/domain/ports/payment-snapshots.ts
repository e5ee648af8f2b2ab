/**
 * Our metadata on an object that was created for an order; nulls on others. Stores and installations can share an
 * account at the provider, so it names the store and the environment beside the order.
 */
export interface OwnMetadata {
  readonly tenantId: string | null;
  readonly orderId: string | null;
  readonly environment: string | null;
}

/** An address as a shopper gave it to the payment provider. `state` and `zip` where the country has them. */
export interface ShopperAddress {
  readonly name: string | null;
  readonly street1: string | null;
  readonly street2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zip: string | null;
  readonly country: string | null;
}

/**
 * A session as it is at the provider.
 *
 *   open         it can be paid
 *   processing   the shopper is done, the money is still on its way
 *   settled      paid, or nothing was due
 *   failed       the money did not come and will not
 *   expired      it can no longer be paid
 */
export interface SessionSnapshot extends OwnMetadata {
  readonly sessionId: string;
  readonly state: 'open' | 'processing' | 'settled' | 'failed' | 'expired';
  readonly url: string | null;
  readonly currency: string;
  readonly subtotalCents: number;
  readonly discountCents: number;
  readonly shippingCents: number;
  readonly taxCents: number;
  readonly totalCents: number;
  /** What of the total a credit of the customer pays; less than zero where a debt is charged with it. */
  readonly creditCents: number;
  readonly email: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly address: ShopperAddress | null;
  readonly customerId: string | null;
  readonly paymentId: string | null;
  readonly subscriptionId: string | null;
}

/** The five statuses of a subscription, and `starting`: the first payment has not arrived yet. */
export type SubscriptionState = 'starting' | 'active' | 'trialing' | 'past_due' | 'paused' | 'canceled';

/** `orderId` is the order that began it. */
export interface SubscriptionSnapshot extends OwnMetadata {
  readonly subscriptionId: string;
  readonly state: SubscriptionState;
  readonly customerId: string;
  readonly email: string | null;
  readonly currency: string;
  readonly cancelAtPeriodEnd: boolean;
  readonly canceledAt: Date | null;
  readonly items: readonly {
    readonly itemId: string;
    /** Our product, by the metadata; `'shipping'` for the shipping cost, `null` for what was not created by us. */
    readonly productId: string | null;
    readonly variantId: string | null;
    readonly quantity: number;
    readonly unitPriceCents: number;
    readonly interval: 'month' | 'quarter';
    readonly currentPeriodEnd: Date;
  }[];
}

/** `orderId` is the order that began the subscription. */
export interface InvoiceSnapshot extends OwnMetadata {
  readonly invoiceId: string;
  readonly subscriptionId: string | null;
  /** `renewal`: a further period, at its time or because a change at the provider began it at once. */
  readonly cause: 'first' | 'renewal' | 'other';
  readonly isPaid: boolean;
  readonly currency: string;
  readonly taxCents: number;
  readonly totalCents: number;
  readonly paymentId: string | null;
  /** Whole periods of an item, without prorations. */
  readonly lines: readonly {
    readonly itemId: string | null;
    readonly quantity: number;
    /** Before the discount. */
    readonly amountCents: number;
    readonly discountCents: number;
  }[];
}

/** A payment, and what of it was refunded or disputed. */
export interface PaymentSnapshot extends OwnMetadata {
  readonly paymentId: string;
  /** The invoice that it paid, where it belongs to a subscription. */
  readonly invoiceId: string | null;
  readonly currency: string;
  readonly amountCents: number;
  readonly refundedCents: number;
  /** Refunds that were requested here, whatever became of them. */
  readonly ownRefunds: readonly OwnRefund[];
  /** Refunds that were requested here and whose money came back: they do not count as refunded. */
  readonly failedRefunds: readonly FailedRefund[];
  /** The last hundred refunds that count, the newest first. */
  readonly refunds: readonly MadeRefund[];
  /** Whether the shopper's bank disputes it at present. */
  readonly isDisputed: boolean;
  /** What was lost in all disputes of it, in minor units. */
  readonly lostCents: number;
}

/** A refund whose money did not come back. `refundId` is null where it was requested at the provider. */
export interface MadeRefund {
  /** The provider's id. */
  readonly id: string;
  readonly refundId: string | null;
  readonly amountCents: number;
}

/** A refund as its request described it to the provider. */
export interface OwnRefund {
  readonly refundId: string;
  readonly returnId: string | null;
  readonly amountCents: number;
  readonly createdAt: Date;
}

/** `failure` is the provider's code of why it failed. */
export interface FailedRefund {
  readonly refundId: string;
  readonly failure: string;
}

import type { Account } from '../account.ts';
import { spread } from '../money.ts';
import type { Price } from './catalogue.ts';
import type { InvoiceDraft } from './invoice.ts';
import type { StripeObject } from './stripe-object.ts';
import type { Period, SubscriptionItem } from './subscription.ts';

export interface InvoiceLine extends StripeObject {
  amount: number;
  quantity: number;
}

/** One line to be invoiced; without an item it is a one-time extra on the first invoice. */
export interface InvoiceLineDraft {
  readonly item: SubscriptionItem | null;
  readonly price: Price;
  readonly quantity: number;
  readonly amount: number;
  readonly description: string;
  readonly period: Period;
  readonly isProration?: boolean;
}

/** The lines of a new invoice; its reduction is shared among them to the last minor unit. */
export function invoiceLines(account: Account, invoice: string, draft: InvoiceDraft): InvoiceLine[] {
  const { subscription, reduction } = draft;
  const shares = spread(
    reduction?.amount ?? 0,
    draft.lines.map((line) => line.amount),
  );
  return draft.lines.map((line, index) => {
    const discounts = reduction ? [{ amount: shares[index] ?? 0, discount: reduction.discount }] : [];
    return {
      id: account.mint('il'),
      object: 'line_item',
      amount: line.amount,
      currency: subscription.currency,
      description: line.description,
      discount_amounts: discounts,
      discountable: true,
      discounts: [],
      invoice,
      livemode: account.livemode,
      metadata: line.item ? { ...subscription.metadata } : {},
      parent: parentOf(account, line, subscription.id),
      period: line.period,
      pretax_credit_amounts: discounts.map((discount) => ({ ...discount, type: 'discount' })),
      pricing: {
        price_details: { price: line.price.id, product: line.price.product },
        type: 'price_details',
        unit_amount_decimal: line.price.unit_amount_decimal,
      },
      quantity: line.quantity,
      quantity_decimal: String(line.quantity),
      subscription: subscription.id,
      subtotal: line.amount,
      taxes: [],
    };
  });
}

function parentOf(account: Account, { item, isProration = false }: InvoiceLineDraft, subscription: string): object {
  const shared = { proration: isProration, proration_details: null, subscription };
  return item
    ? {
        invoice_item_details: null,
        subscription_item_details: { ...shared, invoice_item: null, subscription_item: item.id },
        type: 'subscription_item_details',
      }
    : {
        invoice_item_details: { ...shared, invoice_item: account.mint('ii') },
        subscription_item_details: null,
        type: 'invoice_item_details',
      };
}

import test from 'ava';
import type Stripe from 'stripe';

import { invoiceSnapshotOf } from '#src/providers/stripe/snapshots.ts';

const lineOf = (given: { quantity?: number; amount: number; proration?: boolean }) =>
  ({
    quantity: given.quantity ?? 1,
    amount: given.amount,
    parent: { subscription_item_details: { subscription_item: 'si_1', proration: given.proration ?? false } },
  }) as unknown as Stripe.InvoiceLineItem;

const invoiceOf = (billing_reason: string, total = 3400) =>
  ({
    id: 'in_1',
    billing_reason,
    total,
    status: 'paid',
    currency: 'usd',
    parent: null,
    total_taxes: [],
    total_discount_amounts: [],
  }) as unknown as Stripe.Invoice;

test('invoiceSnapshotOf leaves out lines that settle a difference', (t) => {
  const lines = [
    lineOf({ amount: -1200, proration: true }),
    lineOf({ amount: 3400 }),
    lineOf({ amount: 0, quantity: 0 }),
  ];
  t.deepEqual(invoiceSnapshotOf(invoiceOf('subscription_update'), lines).lines, [
    { itemId: 'si_1', quantity: 1, amountCents: 3400 },
  ]);
});

test('invoiceSnapshotOf leaves out the lines of an update invoiced at zero, which began a trial', (t) => {
  const free = [lineOf({ amount: 0 })];
  t.deepEqual(invoiceSnapshotOf(invoiceOf('subscription_update', 0), free).lines, []);
  t.is(invoiceSnapshotOf(invoiceOf('subscription_cycle', 0), free).lines.length, 1);
});

test("invoiceSnapshotOf totals an invoice with a customer's credit at zero", (t) => {
  t.is(invoiceSnapshotOf(invoiceOf('subscription_cycle', -300), []).totalCents, 0);
});

test('invoiceSnapshotOf distinguishes the first period from renewals of any cause', (t) => {
  const causes = ['subscription_create', 'subscription_cycle', 'subscription_update', 'manual', 'something_new'];
  t.deepEqual(
    causes.map((cause) => invoiceSnapshotOf(invoiceOf(cause), []).cause),
    ['first', 'renewal', 'renewal', 'other', 'other'],
  );
});

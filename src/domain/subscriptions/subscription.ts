import { defineEntity, LockMode, p } from '@mikro-orm/core';

import { follow, type StateTable } from '#src/lib/state-table.ts';
import type { InTransaction } from '../context.ts';
import type { ShippingAddress } from '../orders/index.ts';

export const subscriptionStatuses = ['active', 'trialing', 'past_due', 'paused', 'canceled'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** The provider decides the status; only `canceled` is final. */
const statusTable: StateTable<SubscriptionStatus> = {
  active: ['trialing', 'past_due', 'paused', 'canceled'],
  trialing: ['active', 'past_due', 'paused', 'canceled'],
  past_due: ['active', 'trialing', 'paused', 'canceled'],
  paused: ['active', 'trialing', 'past_due', 'canceled'],
  canceled: [],
};

const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    paymentSubscriptionId: p.string(),
    paymentItemId: p.string(),
    paymentCustomerId: p.string(),
    orderId: p.string(),
    productId: p.string(),
    variantId: p.string().nullable(),
    status: p.enum(subscriptionStatuses),
    interval: p.enum(['month', 'quarter']),
    quantity: p.integer(),
    unitPriceCents: p.bigint('number'),
    currency: p.string(),
    email: p.string().nullable(),
    customerId: p.string().nullable(),
    /** Where its parcels go since that was changed; before, to the address of the order that began it. */
    shippingAddress: p.json<ShippingAddress>().nullable(),
    currentPeriodEnd: p.datetime(),
    cancelAtPeriodEnd: p.boolean(),
    canceledAt: p.datetime().nullable(),
    version: p.integer().version(),
    snapshotNumber: p.bigint('number'),
    requestedAt: p.datetime(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** One product that a customer receives regularly, mirrored from the payment provider. */
export class Subscription extends SubscriptionSchema.class {
  moveTo(status: SubscriptionStatus): void {
    this.status = follow(statusTable, this.status, status);
  }
}

SubscriptionSchema.setClass(Subscription);

/** The items of a subscription, or all that an order began, locked in the order of their ids. */
export function lockSubscriptions(
  { tx, tenant }: InTransaction,
  of: Pick<Subscription, 'paymentSubscriptionId'> | Pick<Subscription, 'orderId'>,
): Promise<Subscription[]> {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  return tx.em.find(Subscription, { tenantId: tenant.id, ...of }, { lockMode, orderBy: { id: 'asc' } });
}

import { cancelSubscription as cancelSubscriptionJob } from '#jobs/bulk.ts';
import { DomainError, notFound } from '#src/lib/errors.ts';
import { Text, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { resendReceipt } from '../../backoffice/index.ts';
import type { IdentifiedChange } from '../../change.ts';
import { matchesOrder, OrderFilter } from '../../orders/index.ts';
import { readLabel, retryLabel } from '../../shipping/index.ts';
import { matchesSubscription, readSubscription, SubscriptionFilter } from '../../subscriptions/index.ts';
import { defineChangeKind, type Selected } from './change-kind.ts';

/** Orders and their labels stay locked until a batch is committed, so that batches are small. */
const batchSize = 10;

/** Labels that need attention are retried, as an operator retries one. */
export const retryLabels = defineChangeKind({
  name: 'label_retries',
  area: 'labels',
  filter: Type.Object({ reason_code: Type.Optional(Text(100, { examples: ['address_invalid'] })) }),
  change: Type.Object({}),
  batchSize,
  select: ({ tenant }, { reason_code: reasonCode }) => sql`
    select l.id from labels l where l.tenant_id = ${tenant.id} and l.state = 'needs_attention'
      ${reasonCode === undefined ? sql`` : sql`and l.reason_code = ${reasonCode}`}`,
  save: (ctx, selected) =>
    changeEach(selected, async ({ id }) => {
      const label = await readLabel(ctx, id);
      if (!label) throw notFound('label');
      await retryLabel(ctx, { labelId: id });
      return { subject: `order ${label.order_number}`, fields: ['state'], values: { state: [label.state, 'queued'] } };
    }),
});

/** The payment provider is called by a job for each subscription. */
export const cancelSubscriptions = defineChangeKind({
  name: 'subscription_cancellations',
  area: 'orders',
  filter: SubscriptionFilter,
  change: Type.Object({
    at_period_end: Type.Optional(
      Type.Boolean({ default: true, description: 'At the end of the paid period, or at once.' }),
    ),
  }),
  batchSize: 100,
  select: ({ tenant }, filter) => sql`
    select s.id from subscriptions s
    where s.tenant_id = ${tenant.id} and s.status <> 'canceled' and ${matchesSubscription(filter)}`,
  save: (ctx, selected, { at_period_end: atPeriodEnd = true }) =>
    changeEach(selected, async ({ id, row, operationId }) => {
      const subscription = await readSubscription(ctx, id);
      if (!subscription) throw notFound('subscription');
      const { status, cancel_at_period_end: isEnding } = subscription;
      if (status === 'canceled') throw new DomainError('conflict', 'subscription_canceled', 'It has ended already.');
      if (!(atPeriodEnd && isEnding))
        enqueue(ctx, cancelSubscriptionJob, { operationId, number: row, subscriptionId: id });
      return {
        subject: `subscription ${id}`,
        ...(atPeriodEnd
          ? { fields: ['cancel_at_period_end'], values: { cancel_at_period_end: [isEnding, true] } }
          : { fields: ['status'], values: { status: [status, 'canceled'] } }),
      };
    }),
});

export const resendEmails = defineChangeKind({
  name: 'emails',
  area: 'orders',
  filter: OrderFilter,
  change: Type.Object({ email: Type.Enum(['receipt']) }),
  batchSize,
  select: ({ tenant }, filter) => sql`
    select o.id from orders o
    where o.tenant_id = ${tenant.id} and o.paid_at is not null and o.imported_at is null and ${matchesOrder(filter)}`,
  save: (ctx, selected) =>
    changeEach(selected, async ({ id }) => {
      await resendReceipt(ctx, id);
      return { subject: `order ${id}`, fields: ['receipt'], values: { receipt: [null, 'sent again'] } };
    }),
});

/** A change is one unless all values are the same after it. */
async function changeEach(
  selected: readonly Selected[],
  change: (selected: Selected) => Promise<Required<Omit<IdentifiedChange, 'action' | 'id'>>>,
): Promise<IdentifiedChange[]> {
  const changes: IdentifiedChange[] = [];
  for (const each of selected) {
    const made = await change(each);
    const isChanged = Object.values(made.values).some(([before, after]) => before !== after);
    changes.push({ ...made, id: each.id, action: isChanged ? 'updated' : 'unchanged' });
  }
  return changes;
}

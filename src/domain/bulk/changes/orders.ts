import { cancelSubscription as cancelSubscriptionJob } from '#jobs/bulk.ts';
import { DomainError, found } from '#src/lib/errors.ts';
import { Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { resendReceipt } from '../../backoffice/index.ts';
import type { FieldValues, IdentifiedChange } from '../../change.ts';
import type { InTransaction } from '../../context.ts';
import { matchesOrder, OrderFilter } from '../../orders/index.ts';
import { readLabel, reasonCodes, retryLabel } from '../../shipping/index.ts';
import { matchesSubscription, readSubscription, SubscriptionFilter } from '../../subscriptions/index.ts';
import { type ChangeKind, defineChangeKind, type Selected, subjectsOf } from './change-kind.ts';

/** Orders and their labels stay locked until a batch is committed, so that batches are small. */
const batchSize = 10;

/** Labels that need attention are retried, as an operator retries one. */
export const retryLabels: ChangeKind = defineChangeKind({
  name: 'label_retries',
  area: 'labels',
  filter: Type.Object({ reason_code: Type.Optional(Type.Enum([...reasonCodes])) }),
  change: Type.Object({}),
  batchSize,
  select: ({ tenant }, { reason_code: reasonCode }) => sql`
    select l.id from labels l where l.tenant_id = ${tenant.id} and l.state = 'needs_attention'
      ${reasonCode === undefined ? sql`` : sql`and l.reason_code = ${reasonCode}`}`,
  subjects: ({ tenant }, ids) => sql`
    select id, 'order ' || order_number as subject from labels where tenant_id = ${tenant.id} and id = any(${ids}::text[])`,
  save: (ctx, selected) =>
    changeEach(ctx, retryLabels, selected, async ({ id }) => {
      const label = found(await readLabel(ctx, id), 'label');
      await retryLabel(ctx, { labelId: id });
      return { state: [label.state, 'queued'] };
    }),
});

/** The payment provider is called by a job for each subscription. */
export const cancelSubscriptions: ChangeKind = defineChangeKind({
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
  subjects: ({ tenant }, ids) => sql`
    select s.id, 'subscription ' || s.id || coalesce(' to ' || (
      select p.name from products p where p.tenant_id = s.tenant_id and p.id = s.product_id), '') as subject
    from subscriptions s
    where s.tenant_id = ${tenant.id} and s.id = any(${ids}::text[])`,
  save: (ctx, selected, { at_period_end: atPeriodEnd = true }) =>
    changeEach(ctx, cancelSubscriptions, selected, async ({ id, row, operationId }) => {
      const subscription = found(await readSubscription(ctx, id), 'subscription');
      const { status, cancel_at_period_end: isEnding } = subscription;
      if (status === 'canceled') throw new DomainError('conflict', 'subscription_canceled', 'It has ended already.');
      if (!(atPeriodEnd && isEnding))
        enqueue(ctx, cancelSubscriptionJob, { operationId, number: row, subscriptionId: id });
      return atPeriodEnd ? { cancel_at_period_end: [isEnding, true] } : { status: [status, 'canceled'] };
    }),
});

export const resendEmails: ChangeKind = defineChangeKind({
  name: 'emails',
  area: 'orders',
  filter: OrderFilter,
  change: Type.Object({ email: Type.Enum(['receipt']) }),
  batchSize,
  select: ({ tenant }, filter) => sql`
    select o.id from orders o
    where o.tenant_id = ${tenant.id} and o.paid_at is not null and o.imported_at is null and ${matchesOrder({ tenant }, filter)}`,
  subjects: ({ tenant }, ids) => sql`
    select id, 'order ' || order_number as subject from orders where tenant_id = ${tenant.id} and id = any(${ids}::text[])`,
  save: (ctx, selected) =>
    changeEach(ctx, resendEmails, selected, async ({ id }) => {
      await resendReceipt(ctx, id);
      return { receipt: [null, 'sent again'] };
    }),
});

/** Change one thing after the other. It is updated unless all values are the same after it. */
async function changeEach(
  ctx: InTransaction,
  kind: ChangeKind,
  selected: readonly Selected[],
  change: (selected: Selected) => Promise<FieldValues>,
): Promise<IdentifiedChange[]> {
  const ids = selected.map(({ id }) => id);
  const subjects = await subjectsOf(ctx, kind, ids);
  const changes: IdentifiedChange[] = [];
  for (const each of selected) {
    const { id } = each;
    const values = await change(each);
    const isChanged = Object.values(values).some(([before, after]) => before !== after);
    const action = isChanged ? 'updated' : 'unchanged';
    changes.push({ id, subject: subjects.get(id) ?? id, action, fields: Object.keys(values), values });
  }
  return changes;
}

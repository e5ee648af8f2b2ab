import { transact } from '#src/database/transact.ts';
import { lowerCase, sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { nameInLog } from '../name-in-log.ts';
import { byMention, type DataSubject } from '../personal-data.ts';
import { holdDeliveries } from '../webhooks/index.ts';
import { findDataSubject } from './find-data-subject.ts';
import { personalData } from './registry.ts';

/** The result of an erasure. */
export interface Erasure {
  /** Why nothing was erased: what is still in progress, each with what to do first. */
  readonly blockers: readonly string[];
  /** The number of rows by table. */
  readonly erased: Readonly<Record<string, number>>;
  /** The customer's ids at the payment provider, whose own records have to be erased there. */
  readonly paymentCustomerIds: readonly string[];
}

/**
 * Erase a person from all data of the store, in one transaction. Rows about the person alone are deleted; what
 * accounting needs (orders and their amounts, refunds, ratings in an average) stays, anonymised. Repeating it has no
 * effect. The audit log records the erasure, without the email address. Nothing is erased while something of the
 * person's is still in progress.
 *
 * @param onPart is called with the name of each part before it is erased
 */
export async function erasePersonalData(
  ctx: Context,
  { email: address }: { email: string },
  onPart: (part: string) => void = () => undefined,
): Promise<Erasure> {
  return transact(ctx, async (ctx) => {
    const dataSubject = await findDataSubject(ctx, address);
    await lockOrders(ctx, dataSubject);
    const blockers = await erasureBlockers(ctx, dataSubject);
    if (blockers.length > 0) return { blockers, erased: {}, paymentCustomerIds: [] };
    const paymentCustomerIds = await paymentCustomersOf(ctx, dataSubject);
    const erased: Record<string, number> = {};
    for (const { name, erase } of personalData) {
      onPart(name);
      const count = await erase(ctx, dataSubject);
      if (count > 0) erased[name] = count;
    }
    if (Object.keys(erased).length > 0) {
      const subject = { subjectKind: 'person', subjectId: nameInLog(ctx, dataSubject.email) };
      await recordAudit(ctx, { action: 'person.erased', ...subject, after: { rows: erased } });
    }
    return { blockers, erased, paymentCustomerIds };
  });
}

/** The orders must not change between the check for blockers and the commit. */
async function lockOrders(ctx: InTransaction, { orderIds }: DataSubject): Promise<void> {
  await ctx.tx.execute(sql`
    select id from orders where tenant_id = ${ctx.tenant.id} and id = any(${orderIds}) order by id for update`);
}

async function paymentCustomersOf(ctx: InTransaction, { email, customerId }: DataSubject): Promise<string[]> {
  const rows = await ctx.tx.execute<{ id: string }>(sql`
    select payment_customer_id as id from customer_payment_ids
    where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}
    union select payment_customer_id from subscriptions
      where tenant_id = ${ctx.tenant.id} and ${lowerCase(sql`email`)} = ${email}`);
  return rows.map(({ id }) => id).filter((id) => id !== '');
}

const beingDelivered = 'a webhook about this person is being delivered: try again in a minute';

/**
 * What is still in progress and would fail, or store the person's data again, after an erasure. Each says what to do
 * first.
 */
async function erasureBlockers(ctx: InTransaction, subject: DataSubject): Promise<string[]> {
  const { email, customerId, orderIds } = subject;
  const mentions = byMention(sql`concat_ws(' ', o.metadata, s.request ->> 'returnUrl', s.request ->> 'cancelUrl')`);
  const rows = await ctx.tx.execute<{ blocker: string }>(sql`
    select o.order_number || ' may still be paid: wait until it has expired' as blocker from orders o
      left join payment_sessions s on s.tenant_id = ${ctx.tenant.id} and s.order_id = o.id
      where o.tenant_id = ${ctx.tenant.id} and o.status = 'pending'
        and (o.id = any(${orderIds}) or ${mentions(subject)})
    union all
    select order_number || ' was not sent yet: send it or refund it' from orders
      where tenant_id = ${ctx.tenant.id} and id = any(${orderIds}) and status in ('paid', 'partially_refunded')
        and fulfillment_status in ('unfulfilled', 'needs_attention', 'label_purchased')
    union all
    select 'a refund of ' || o.order_number || ' is on its way: wait for it' from payment_refunds r
      join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = r.order_id
      where r.tenant_id = ${ctx.tenant.id} and r.order_id = any(${orderIds}) and r.state = 'requested'
    union all
    select 'RMA-' || number || ' is open: close it' from returns
      where tenant_id = ${ctx.tenant.id} and (${lowerCase(sql`email`)} = ${email} or order_id = any(${orderIds}))
        and status in ('requested', 'approved', 'received')
    union all
    select 'the subscription ' || id || ' is ' || status || ': cancel it' from subscriptions
      where tenant_id = ${ctx.tenant.id} and status <> 'canceled'
        and (${lowerCase(sql`email`)} = ${email} or customer_id = ${customerId})
    union all
    select 'this email address belongs to the staff of the store: revoke the member' from staff
      where tenant_id = ${ctx.tenant.id} and email = ${email} and revoked_at is null`);
  const isDelivering = await holdDeliveries(ctx, subject);
  return [...rows.map(({ blocker }) => blocker), ...(isDelivering ? [beingDelivered] : [])];
}

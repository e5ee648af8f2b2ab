import { transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { nameInLog } from '../name-in-log.ts';
import type { DataSubject } from '../personal-data.ts';
import { findDataSubject } from './find-data-subject.ts';
import { personalData } from './registry.ts';

/** What an erasure did. */
export interface Erasure {
  /** What was still under way, each with what to do first: then nothing was erased. */
  readonly blockers: readonly string[];
  /** How many rows of what. */
  readonly erased: Readonly<Record<string, number>>;
  /** What the payment provider calls the person: its own records are not ours to erase. */
  readonly paymentCustomerIds: readonly string[];
}

/**
 * Take a person out of everything that the store holds, in one transaction. What was there for the person alone is
 * deleted; what the books need (orders and their amounts, refunds, stars in an average) stays and belongs to nobody.
 * Asked again it finds nothing more. The audit log keeps that it was done, without the address. While something of
 * the person's is under way nothing is erased.
 *
 * @param onPart is called with the name of each part before it is looked through
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

/** None of them changes until the person is out of it: what is under way is judged once. */
async function lockOrders(ctx: InTransaction, { orderIds }: DataSubject): Promise<void> {
  await ctx.tx.execute(sql`
    select id from orders where tenant_id = ${ctx.tenant.id} and id = any(${orderIds}) order by id for update`);
}

async function paymentCustomersOf(ctx: InTransaction, { email, customerId }: DataSubject): Promise<string[]> {
  const rows = await ctx.tx.execute<{ id: string }>(sql`
    select payment_customer_id as id from customer_payment_ids
    where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}
    union select payment_customer_id from subscriptions where tenant_id = ${ctx.tenant.id} and lower(email) = ${email}`);
  return rows.map(({ id }) => id).filter((id) => id !== '');
}

/**
 * What would fail, or bring the person back, if the person were gone now: each as a part of a sentence that says what
 * to do first.
 */
async function erasureBlockers(ctx: InTransaction, { email, customerId, orderIds }: DataSubject): Promise<string[]> {
  const rows = await ctx.tx.execute<{ blocker: string }>(sql`
    select order_number || ' may still be paid: wait until it has expired' as blocker from orders
      where tenant_id = ${ctx.tenant.id} and id = any(${orderIds}) and status = 'pending'
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
      where tenant_id = ${ctx.tenant.id} and (lower(email) = ${email} or order_id = any(${orderIds}))
        and status in ('requested', 'approved', 'received')
    union all
    select 'the subscription ' || id || ' is ' || status || ': cancel it' from subscriptions
      where tenant_id = ${ctx.tenant.id} and status <> 'canceled'
        and (lower(email) = ${email} or customer_id = ${customerId})`);
  return rows.map(({ blocker }) => blocker);
}

import { transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../../context.ts';
import { dryRunTransaction } from '../../dry-run-transaction.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { openAccount } from '../accounts/open-account.ts';
import { providerFailureOf } from '../provider-calls.ts';
import { applySnapshot } from '../snapshots/apply-snapshot.ts';
import { fetchSnapshot, isOwnObject, type Snapshot } from '../snapshots/fetch-snapshot.ts';
import { type ReplayTarget, type ReplayWhat, replayTargets } from './replay-targets.ts';

/** What came of one object of the provider's. */
export interface Replayed extends ReplayTarget {
  /**
   *   unchanged      the shop was in line with it
   *   changed        now it is; in a dry run, it would be
   *   ignored        it is not ours, or the provider has no such object any more
   *   unknown_order  it bears our marks, and we have no such order
   *   failed         the provider did not tell
   */
  readonly result: 'unchanged' | 'changed' | 'ignored' | 'unknown_order' | 'failed';
  readonly changes: readonly ObservedChange[];
  readonly failure?: string;
}

/**
 * Look at payments once more: ask the provider how each object stands, and bring the shop into line through the one
 * function that webhooks, polls and sweeps use. What is so already changes nothing, so it may be done at any time.
 *
 * A dry run does the same and takes it back; all that stays of it is a gap in the order numbers, which are taken ahead.
 *
 * @param tell is called with each object that was looked at
 * @throws DomainError when the store has no account to ask, or there is no such event or order
 */
export async function replayPayments(
  ctx: Context,
  what: ReplayWhat,
  { dryRun, onReplayed = () => undefined }: { dryRun: boolean; onReplayed?: (replayed: Replayed) => void },
): Promise<Replayed[]> {
  const account = await openAccount(ctx);
  const done: Replayed[] = [];
  for await (const target of replayTargets(ctx, account, what)) {
    const replayed = { ...target, ...(await replay(ctx, account, target, dryRun)) };
    done.push(replayed);
    onReplayed(replayed);
  }
  return done;
}

type Outcome = Pick<Replayed, 'result' | 'changes' | 'failure'>;

async function replay(ctx: Context, account: PaymentAccount, target: ReplayTarget, dryRun: boolean): Promise<Outcome> {
  let snapshot: Snapshot | undefined;
  try {
    snapshot = await fetchSnapshot(ctx, account, target.subject, target.objectId);
  } catch (error) {
    return { result: 'failed', changes: [], failure: providerFailureOf(error).message };
  }
  const metadata = snapshot && ownMetadataOf(snapshot);
  if (!snapshot || !metadata || !isOwnObject(ctx, metadata)) return { result: 'ignored', changes: [] };
  return dryRunTransaction<Outcome>(dryRun, (finish) =>
    transact(ctx, async (ctx) => {
      const invoiceId = snapshot.subject === 'invoice' ? snapshot.invoice.invoiceId : null;
      const subjects = { orderId: metadata.orderId ?? '', invoiceId };
      const before = await observe(ctx, subjects);
      const applied = await applySnapshot(ctx, snapshot);
      await ctx.tx.em.flush();
      if (applied !== 'applied') return finish({ result: applied, changes: [] });
      await markEventsApplied(ctx, target.eventIds);
      const changes = whatChanged(before, await observe(ctx, subjects));
      return finish({ result: changes.length > 0 ? 'changed' : 'unchanged', changes });
    }),
  );
}

function ownMetadataOf(snapshot: Snapshot) {
  switch (snapshot.subject) {
    case 'session':
      return snapshot.session;
    case 'subscription':
      return snapshot.subscription;
    case 'invoice':
      return snapshot.invoice;
    case 'payment':
      return snapshot.payment;
  }
}

/** What waited to be looked into, or was given up for want of its order, is done. */
async function markEventsApplied(ctx: InTransaction, eventIds: readonly string[]): Promise<void> {
  await ctx.tx.execute(sql`
    update payment_events set state = 'applied', settled_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = any(${eventIds}) and state in ('pending', 'unknown_order')`);
}

/** What bringing something into line changed: of which order or subscription, what, from what to what. */
export interface ObservedChange {
  /** An order's number or a subscription's id. */
  readonly of: string;
  readonly field: string;
  /** `null` also where there was no such thing before. */
  readonly before: unknown;
  readonly after: unknown;
}

type Observed = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** How the order of a payment, the order of its invoice, and the subscriptions that it began stand. No addresses. */
async function observe(
  ctx: InTransaction,
  { orderId, invoiceId }: { orderId: string; invoiceId: string | null },
): Promise<Observed> {
  const rows = await ctx.tx.execute<{ name: string; fields: Record<string, unknown> }>(sql`
    select order_number as name, jsonb_build_object(
      'status', status, 'payment_status', payment_status, 'fulfillment_status', fulfillment_status,
      'total_cents', total_cents, 'refunded_cents', refunded_cents, 'attentions', jsonb_path_query_array(attentions, '$[*].code'),
      'session', (
        select s.state from payment_sessions s where s.tenant_id = ${ctx.tenant.id} and s.order_id = o.id)) as fields
    from orders o where tenant_id = ${ctx.tenant.id} and id in (
      select ${orderId} union all
      select order_id from payment_invoices where tenant_id = ${ctx.tenant.id} and id = ${invoiceId})
    union all
    select id, jsonb_build_object('status', status, 'interval', interval, 'quantity', quantity,
      'unit_price_cents', unit_price_cents, 'current_period_end', current_period_end,
      'cancel_at_period_end', cancel_at_period_end)
    from subscriptions where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`);
  return new Map(rows.map(({ name, fields }) => [name, fields]));
}

function whatChanged(before: Observed, after: Observed): ObservedChange[] {
  return [...after].flatMap(([name, fields]) => {
    const known = before.get(name) ?? {};
    return Object.entries(fields).flatMap(([field, value]) => {
      const was = known[field] ?? null;
      return JSON.stringify(was) === JSON.stringify(value) ? [] : [{ of: name, field, before: was, after: value }];
    });
  });
}

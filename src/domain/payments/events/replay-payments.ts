import { transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../../context.ts';
import { dryRunTransaction } from '../../dry-run-transaction.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { openAccount } from '../accounts/payment-account.ts';
import { providerFailureOf } from '../provider-calls.ts';
import { applySnapshot } from '../snapshots/apply-snapshot.ts';
import { fetchSnapshot, isOwnObject, mayBeForeign, type Snapshot } from '../snapshots/fetch-snapshot.ts';
import { type ReplayTarget, type ReplayWhat, replayTargets } from './replay-targets.ts';

/** The outcome of replaying one object of the provider. */
export interface Replayed extends ReplayTarget {
  /**
   *   unchanged      our rows agreed with it
   *   changed        now they agree; in a dry run, they would
   *   ignored        it is not our object
   *   unknown_order  its metadata names an order that does not exist
   *   failed         it could not be fetched, or the account does not have it
   */
  readonly result: 'unchanged' | 'changed' | 'ignored' | 'unknown_order' | 'failed';
  readonly changes: readonly ObservedChange[];
  readonly failure?: string;
}

/**
 * Fetch objects from the provider again and apply their snapshots, as webhooks, polls and sweeps do. It changes only
 * what does not agree, so it may be done at any time.
 *
 * A dry run rolls back; all that remains of it is a gap in the order numbers, which are taken before the transaction.
 *
 * @param options `onReplayed` is called with the outcome of each object
 * @throws DomainError when the store has no account, or there is no such event or order
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
  if (!snapshot && !mayBeForeign(target.subject)) {
    const failure = `The account at the payment provider has no such ${target.subject}.`;
    return { result: 'failed', changes: [], failure };
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

/** Events of the object that were pending, or whose order was unknown, are reconciled now. */
async function markEventsApplied(ctx: InTransaction, eventIds: readonly string[]): Promise<void> {
  await ctx.tx.execute(sql`
    update payment_events set state = 'applied', settled_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = any(${eventIds}) and state in ('pending', 'unknown_order')`);
}

/** One field of an order or a subscription that a snapshot changed. */
export interface ObservedChange {
  /** An order's number or a subscription's id. */
  readonly of: string;
  readonly field: string;
  /** `null` also where the order or subscription did not exist before. */
  readonly before: unknown;
  readonly after: unknown;
}

type Observed = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The state of a payment's order, of its invoice's order and of the subscriptions that it began. No personal data. */
async function observe(
  ctx: InTransaction,
  { orderId, invoiceId }: { orderId: string; invoiceId: string | null },
): Promise<Observed> {
  const rows = await ctx.tx.execute<{ name: string; fields: Record<string, unknown> }>(sql`
    select order_number as name, jsonb_build_object(
      'status', status, 'payment_status', payment_status, 'fulfillment_status', fulfillment_status,
      'total_cents', total_cents, 'refunded_cents', refunded_cents,
      'attentions', jsonb_path_query_array(attentions, '$[*].code'),
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

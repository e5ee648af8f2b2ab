import { readOne } from '#src/database/transact.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import type { PaymentAccount, PaymentSubject } from '../../ports/payment-gateway.ts';
import type { InvoiceSnapshot, OwnMetadata, PaymentSnapshot, SessionSnapshot } from '../../ports/payment-snapshots.ts';
import type { FetchedSubscription } from '../../subscriptions/index.ts';
import { takeOrderNumber } from '../../tenants/index.ts';

/** What the provider says of an object now, with all that applying it needs. */
export type Snapshot =
  | {
      readonly subject: 'session';
      readonly session: SessionSnapshot;
      readonly subscription: FetchedSubscription | undefined;
    }
  | { readonly subject: 'subscription'; readonly subscription: FetchedSubscription }
  | {
      readonly subject: 'invoice';
      readonly invoice: InvoiceSnapshot;
      readonly subscription: FetchedSubscription | undefined;
      /** The session that it settles: the first period was paid, and its order is not. */
      readonly session: SessionSnapshot | undefined;
      /** Taken for the order of a renewal; gaps are allowed. */
      readonly orderNumber: number | undefined;
    }
  | { readonly subject: 'payment'; readonly payment: FetchedPayment };

/**
 * Ask the provider how an object stands, outside any transaction. `undefined` when it knows no such object.
 * @throws ProviderError
 */
export async function fetchSnapshot(
  ctx: Context,
  account: PaymentAccount,
  subject: PaymentSubject,
  objectId: string,
): Promise<Snapshot | undefined> {
  try {
    return await fetchers[subject](ctx, account, objectId);
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'missing') return undefined;
    throw error;
  }
}

const fetchers = {
  async session(ctx: Context, account: PaymentAccount, id: string): Promise<Snapshot> {
    return snapshotOfSession(ctx, account, await ctx.ports.payments.fetchSession(account, id, ctx.signal));
  },

  async subscription(ctx: Context, account: PaymentAccount, id: string): Promise<Snapshot> {
    return { subject: 'subscription', subscription: await fetchSubscription(ctx, account, id) };
  },

  async invoice(ctx: Context, account: PaymentAccount, id: string): Promise<Snapshot> {
    const snapshot = await fetchInvoiceSnapshot(ctx, account, id);
    const isNew = isOwnRenewal(ctx, snapshot.invoice) && !(await isKnown(ctx, id));
    return { ...snapshot, orderNumber: isNew ? await takeOrderNumber(ctx) : undefined };
  },

  async payment(ctx: Context, account: PaymentAccount, reference: string): Promise<Snapshot> {
    return { subject: 'payment', payment: await fetchPayment(ctx, account, reference) };
  },
} satisfies Record<PaymentSubject, (ctx: Context, account: PaymentAccount, id: string) => Promise<Snapshot>>;

/** How an invoice stands; the number of the order that it may want is another thing. */
export async function fetchInvoiceSnapshot(ctx: Context, account: PaymentAccount, id: string) {
  const invoice = await ctx.ports.payments.fetchInvoice(account, id, ctx.signal);
  const subscription = await subscriptionOf(ctx, account, invoice);
  const session = await unpaidSessionOf(ctx, account, invoice);
  return { subject: 'invoice', invoice, subscription, session } as const;
}

/**
 * A slow first payment can fail and be made up for by the shopper on the page of the invoice: then the invoice is paid,
 * and of the session nothing is told any more.
 */
async function unpaidSessionOf(
  ctx: Context,
  account: PaymentAccount,
  invoice: InvoiceSnapshot,
): Promise<SessionSnapshot | undefined> {
  if (invoice.cause !== 'first' || !invoice.isPaid || !isOwnObject(ctx, invoice)) return undefined;
  const unpaid = await readOne<{ sessionId: string }>(
    ctx,
    sql`
    select s.provider_session_id as "sessionId"
    from payment_sessions s join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = s.order_id
    where s.tenant_id = ${ctx.tenant.id} and s.order_id = ${invoice.orderId}
      and s.provider_session_id is not null and o.paid_at is null`,
  );
  if (!unpaid) return undefined;
  const session = await ctx.ports.payments.fetchSession(account, unpaid.sessionId, ctx.signal);
  return { ...session, state: 'settled', paymentId: session.paymentId ?? invoice.paymentId };
}

/** Whether an invoice is a further period of ours that was paid for: it wants an order of its own. */
export function isOwnRenewal(ctx: Context, invoice: InvoiceSnapshot): boolean {
  return invoice.cause === 'renewal' && invoice.isPaid && isOwnObject(ctx, invoice);
}

/** A paid session may have begun a subscription: then that belongs to the same answer. */
export async function snapshotOfSession(
  ctx: Context,
  account: PaymentAccount,
  session: SessionSnapshot,
): Promise<Extract<Snapshot, { subject: 'session' }>> {
  const subscription = session.state === 'settled' ? await subscriptionOf(ctx, account, session) : undefined;
  return { subject: 'session', session, subscription };
}

async function subscriptionOf(
  ctx: Context,
  account: PaymentAccount,
  owner: SessionSnapshot | InvoiceSnapshot,
): Promise<FetchedSubscription | undefined> {
  if (!owner.subscriptionId || !isOwnObject(ctx, owner)) return undefined;
  return fetchSubscription(ctx, account, owner.subscriptionId);
}

async function isKnown(ctx: Context, invoiceId: string): Promise<boolean> {
  const row = await readOne(
    ctx,
    sql`
    select 1 as known from payment_invoices where tenant_id = ${ctx.tenant.id} and id = ${invoiceId}`,
  );
  return row !== undefined;
}

/**
 * A payment, with the number that its request took before it was sent. Of two snapshots the one with the higher number
 * shows every change that was made before the other was requested: clocks, which differ between processes, are not
 * compared. A change that a dropped snapshot alone would show is fetched again for its own event.
 */
export interface FetchedPayment extends PaymentSnapshot {
  readonly snapshotNumber: number;
}

/** @throws ProviderError */
export async function fetchSubscription(
  ctx: Context,
  account: PaymentAccount,
  id: string,
): Promise<FetchedSubscription> {
  const snapshotNumber = await takeSnapshotNumber(ctx);
  return { ...(await ctx.ports.payments.fetchSubscription(account, id, ctx.signal)), snapshotNumber };
}

/** @throws ProviderError */
export async function fetchPayment(ctx: Context, account: PaymentAccount, reference: string): Promise<FetchedPayment> {
  const snapshotNumber = await takeSnapshotNumber(ctx);
  return { ...(await ctx.ports.payments.fetchPayment(account, reference, ctx.signal)), snapshotNumber };
}

async function takeSnapshotNumber(ctx: Context): Promise<number> {
  const row = await readOne<{ number: number }>(ctx, sql`select nextval('payment_snapshot_numbers')::int8 as number`);
  if (!row) throw new TypeError('The sequence returned no number.');
  return row.number;
}

/** Whether an object at the provider was made for an order of this store, in this environment: by our metadata on it. */
export function isOwnObject(ctx: Context, { tenantId, orderId, environment }: OwnMetadata): boolean {
  return orderId !== null && tenantId === ctx.tenant.id && environment === ctx.settings.appMode;
}

/**
 * What became of something that the provider told. `unknown_order`: it bears our marks, and we have no such order, or it
 * is not as far (yet).
 */
export type ApplyResult = 'applied' | 'ignored' | 'unknown_order';

import { readOne, readOneOrFail } from '#src/database/transact.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import { takeOrderNumber } from '../../orders/index.ts';
import type { PaymentAccount, PaymentSubject } from '../../ports/payment-gateway.ts';
import type { InvoiceSnapshot, OwnMetadata, PaymentSnapshot, SessionSnapshot } from '../../ports/payment-snapshots.ts';
import type { FetchedSubscription } from '../../subscriptions/index.ts';

/** An object of the provider as it is now, with all that applying it needs. */
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
      /** The settled session of the first order, where the invoice was paid and that order is not. */
      readonly session: SessionSnapshot | undefined;
      /** Taken for the order of a renewal; gaps are allowed. */
      readonly orderNumber: number | undefined;
    }
  | { readonly subject: 'payment'; readonly payment: FetchedPayment };

/**
 * Fetch an object from the provider. Call it outside any transaction.
 * @returns `undefined` when the provider has no such object
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

/**
 * Whether an object that the provider does not have may be another program's. Events about others contain our metadata,
 * so the store's account was replaced.
 */
export const mayBeForeign = (subject: PaymentSubject): boolean => subject === 'payment';

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

/** Fetch an invoice without taking a number for the order that it may need. */
export async function fetchInvoiceSnapshot(ctx: Context, account: PaymentAccount, id: string) {
  const invoice = await ctx.ports.payments.fetchInvoice(account, id, ctx.signal);
  const subscription = await subscriptionOf(ctx, account, invoice);
  const session = await unpaidSessionOf(ctx, account, invoice);
  return { subject: 'invoice', invoice, subscription, session } as const;
}

/**
 * After a slow first payment failed, the shopper can pay on the invoice's page. Then the invoice is paid, and the
 * session never changes again: it counts as settled. One that is still open is about to be complete, and only then has
 * all that the shopper entered.
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
  return session.state === 'open' ? undefined : { ...session, state: 'settled', paymentId: invoice.paymentId };
}

/** Whether an invoice is a further period of an own subscription that was paid: it gets an order. */
export function isOwnRenewal(ctx: Context, invoice: InvoiceSnapshot): boolean {
  return invoice.cause === 'renewal' && invoice.isPaid && isOwnObject(ctx, invoice);
}

/** The snapshot of a session, with the subscription that it began once it is paid. */
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
 * A payment, with the number that was taken from a sequence before the request was sent. Of two snapshots the one with
 * the higher number shows every change made before the other was requested; clocks differ between processes, so they
 * are not compared. A change that only a dropped snapshot shows is fetched again for its own event.
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
  const next = sql`select nextval('payment_snapshot_numbers')::int8 as number`;
  return (await readOneOrFail<{ number: number }>(ctx, next)).number;
}

/** Whether our metadata on an object of the provider names an order of this store, in this environment. */
export function isOwnObject(ctx: Context, { tenantId, orderId, environment }: OwnMetadata): boolean {
  return orderId !== null && tenantId === ctx.tenant.id && environment === ctx.settings.appMode;
}

/** `unknown_order`: the metadata names an order that does not exist (yet), or that has not been paid (yet). */
export type ApplyResult = 'applied' | 'ignored' | 'unknown_order';

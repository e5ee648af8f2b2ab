import { sql } from '#src/lib/sql.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { readOne } from '../database.ts';
import type { PaymentAccount, PaymentSubject } from '../ports/payment-gateway.ts';
import type {
  InvoiceSnapshot, PaymentSnapshot, SessionSnapshot, SubscriptionSnapshot,
} from '../ports/payment-snapshots.ts';
import { takeOrderNumber } from '../tenants/index.ts';
import { isOurs } from './is-ours.ts';

/** What the provider says of an object now, with all that applying it needs; and since when it may be so. */
export type Answer = { readonly askedAt: Date } & (
  | {
      readonly subject: 'session';
      readonly session: SessionSnapshot;
      readonly subscription: SubscriptionSnapshot | undefined;
    }
  | { readonly subject: 'subscription'; readonly subscription: SubscriptionSnapshot }
  | {
      readonly subject: 'invoice';
      readonly invoice: InvoiceSnapshot;
      readonly subscription: SubscriptionSnapshot | undefined;
      /** The session that it settles: the first period was paid, and its order is not. */
      readonly session: SessionSnapshot | undefined;
      /** Taken for the order of a renewal; gaps are allowed. */
      readonly orderNumber: number | undefined;
    }
  | { readonly subject: 'payment'; readonly payment: PaymentSnapshot }
);

/**
 * Ask the provider how an object stands, outside any transaction. `undefined` when it knows no such object.
 * @throws ProviderError
 */
export async function askProvider(
  ctx: Context,
  account: PaymentAccount,
  subject: PaymentSubject,
  objectId: string,
): Promise<Answer | undefined> {
  try {
    return await ask[subject](ctx, account, objectId);
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'missing') return undefined;
    throw error;
  }
}

const ask = {
  async session(ctx: Context, account: PaymentAccount, id: string): Promise<Answer> {
    const askedAt = ctx.clock.now();
    return answerOfSession(ctx, account, await ctx.ports.payments.fetchSession(account, id, ctx.signal), askedAt);
  },

  async subscription(ctx: Context, account: PaymentAccount, id: string): Promise<Answer> {
    const askedAt = ctx.clock.now();
    const subscription = await ctx.ports.payments.fetchSubscription(account, id, ctx.signal);
    return { subject: 'subscription', askedAt, subscription };
  },

  async invoice(ctx: Context, account: PaymentAccount, id: string): Promise<Answer> {
    const answer = await askInvoice(ctx, account, id);
    const isNew = isRenewalOfOurs(ctx, answer.invoice) && !(await isKnown(ctx, id));
    return { ...answer, orderNumber: isNew ? await takeOrderNumber(ctx) : undefined };
  },

  async payment(ctx: Context, account: PaymentAccount, reference: string): Promise<Answer> {
    const askedAt = ctx.clock.now();
    const payment = await ctx.ports.payments.fetchPayment(account, reference, ctx.signal);
    return { subject: 'payment', askedAt, payment };
  },
} satisfies Record<PaymentSubject, (ctx: Context, account: PaymentAccount, id: string) => Promise<Answer>>;

/** How an invoice stands; the number of the order that it may want is another thing. */
export async function askInvoice(ctx: Context, account: PaymentAccount, id: string) {
  const askedAt = ctx.clock.now();
  const invoice = await ctx.ports.payments.fetchInvoice(account, id, ctx.signal);
  const subscription = await subscriptionOf(ctx, account, invoice);
  const session = await unpaidSessionOf(ctx, account, invoice);
  return { subject: 'invoice', askedAt, invoice, subscription, session } as const;
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
  if (invoice.cause !== 'first' || !invoice.isPaid || !isOurs(ctx, invoice)) return undefined;
  const unpaid = await readOne<{ sessionId: string }>(ctx, sql`
    select s.provider_session_id as "sessionId"
    from payment_sessions s join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = s.order_id
    where s.tenant_id = ${ctx.tenant.id} and s.order_id = ${invoice.orderId}
      and s.provider_session_id is not null and o.paid_at is null`);
  if (!unpaid) return undefined;
  const session = await ctx.ports.payments.fetchSession(account, unpaid.sessionId, ctx.signal);
  return { ...session, state: 'settled', paymentId: session.paymentId ?? invoice.paymentId };
}

/** Whether an invoice is a further period of ours that was paid for: it wants an order of its own. */
export function isRenewalOfOurs(ctx: Context, invoice: InvoiceSnapshot): boolean {
  return invoice.cause === 'renewal' && invoice.isPaid && isOurs(ctx, invoice);
}

/** A paid session may have begun a subscription: then that belongs to the same answer. */
export async function answerOfSession(
  ctx: Context,
  account: PaymentAccount,
  session: SessionSnapshot,
  askedAt: Date,
): Promise<Extract<Answer, { subject: 'session' }>> {
  const subscription = session.state === 'settled' ? await subscriptionOf(ctx, account, session) : undefined;
  return { subject: 'session', askedAt, session, subscription };
}

async function subscriptionOf(
  ctx: Context,
  account: PaymentAccount,
  owner: SessionSnapshot | InvoiceSnapshot,
): Promise<SubscriptionSnapshot | undefined> {
  if (!owner.subscriptionId || !isOurs(ctx, owner)) return undefined;
  return ctx.ports.payments.fetchSubscription(account, owner.subscriptionId, ctx.signal);
}

async function isKnown(ctx: Context, invoiceId: string): Promise<boolean> {
  const row = await readOne(ctx, sql`
    select 1 as known from payment_invoices where tenant_id = ${ctx.tenant.id} and id = ${invoiceId}`);
  return row !== undefined;
}

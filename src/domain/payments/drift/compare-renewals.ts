import { read, transact } from '#src/database/transact.ts';
import type { TimeRange } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import { dryRunTransaction } from '../../dry-run-transaction.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { everyPage } from '../provider-calls.ts';
import { applySnapshot } from '../snapshots/apply-snapshot.ts';
import { fetchInvoiceSnapshot, fetchSnapshot, isOwnRenewal } from '../snapshots/fetch-snapshot.ts';

/** Invoices are listed by when they were created, and the provider tries to collect one for this long at most. */
const collectingMs = days(60);

/** Renewals at the provider and orders of renewals that do not agree. */
export interface RenewalDrift {
  /** Paid invoices without an order. */
  readonly unmade: readonly string[];
  /** Orders of renewals that are paid here and not at the provider. */
  readonly unpaidThere: readonly string[];
}

/** Compare the paid invoices with their orders, and the orders of this time range with their invoices. */
export async function compareRenewals(
  ctx: Context,
  account: PaymentAccount,
  { from, to }: TimeRange,
): Promise<RenewalDrift> {
  const paid = await paidRenewals(ctx, account, { from: new Date(from.getTime() - collectingMs), to });
  const made = await renewalOrdersOf(ctx, [...paid]);
  const unmade: string[] = [];
  for (const invoiceId of paid) {
    if (!made.has(invoiceId) && (await renewsSomething(ctx, account, invoiceId))) unmade.push(invoiceId);
  }

  const unpaidThere: string[] = [];
  for (const { invoiceId, orderId } of await ordersMade(ctx, { from, to })) {
    if (!paid.has(invoiceId) && !(await isPaidInvoice(ctx, account, invoiceId))) unpaidThere.push(orderId);
  }
  return { unmade, unpaidThere };
}

/** The paid invoices of own renewals in this time range. An invoice without lines only pays a difference. */
export async function paidRenewals(ctx: Context, account: PaymentAccount, range: TimeRange): Promise<Set<string>> {
  const paid = new Set<string>();
  const pages = everyPage((from) => ctx.ports.payments.listPaidInvoices(account, { ...range, ...from }, ctx.signal));
  for await (const { invoices } of pages) {
    for (const invoice of invoices) {
      if (isOwnRenewal(ctx, invoice) && invoice.lines.length > 0) paid.add(invoice.invoiceId);
    }
  }
  return paid;
}

/** The orders of these invoices, by invoice id. */
export async function renewalOrdersOf(ctx: Context, invoiceIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await read<{ id: string; orderId: string }>(
    ctx,
    sql`
    select id, order_id as "orderId" from payment_invoices
    where tenant_id = ${ctx.tenant.id} and id = any(${invoiceIds})`,
  );
  return new Map(rows.map(({ id, orderId }) => [id, orderId]));
}

const ordersMade = (ctx: Context, { from, to }: TimeRange) =>
  read<{ invoiceId: string; orderId: string }>(
    ctx,
    sql`
    select id as "invoiceId", order_id as "orderId" from payment_invoices
    where tenant_id = ${ctx.tenant.id} and created_at between ${from} and ${to}`,
  );

/** Whether applying the invoice would create an order, or fails because the first order does not exist. */
async function renewsSomething(ctx: Context, account: PaymentAccount, invoiceId: string): Promise<boolean> {
  // The order is rolled back, so it needs no number of its own.
  const snapshot = { ...(await fetchInvoiceSnapshot(ctx, account, invoiceId)), orderNumber: 0 };
  return dryRunTransaction<boolean>(true, (finish) =>
    transact(ctx, async (ctx) => {
      const applied = await applySnapshot(ctx, snapshot);
      return finish(applied === 'unknown_order' || (await renewalOrdersOf(ctx, [invoiceId])).size > 0);
    }),
  );
}

async function isPaidInvoice(ctx: Context, account: PaymentAccount, invoiceId: string): Promise<boolean> {
  const snapshot = await fetchSnapshot(ctx, account, 'invoice', invoiceId);
  return snapshot?.subject === 'invoice' && snapshot.invoice.isPaid;
}

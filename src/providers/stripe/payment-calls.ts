import type Stripe from 'stripe';
import type { PaymentGateway } from '#src/domain/ports/payment-gateway.ts';
import type { FailedRefund, MadeRefund, OwnRefund, PaymentSnapshot } from '#src/domain/ports/payment-snapshots.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { type Caller, newBudget, type SharedOptions } from './caller.ts';
import { eventOf, handledEventTypes } from './events.ts';
import { metadataIn } from './metadata.ts';
import { nextOf, pageParams } from './pages.ts';
import { idOf, paymentSnapshotOf } from './snapshots.ts';

type PaymentCalls = Pick<PaymentGateway, 'fetchPayment' | 'listReversals' | 'refundPayment' | 'listEvents'>;

export function paymentCalls(stripe: Stripe, call: Caller): PaymentCalls {
  /** Refunds and disputes have a charge; of a payment it is the latest one. */
  async function fetchCharge(reference: string, shared: SharedOptions): Promise<Stripe.Charge> {
    const [kind] = reference.split('_');
    if (kind === 'ch' || kind === 'py') return retrieveCharge(reference);
    if (kind === 'pi') {
      const intent = await call({ ...shared, operation: 'paymentIntents.retrieve' }, (options) =>
        stripe.paymentIntents.retrieve(reference, {}, options),
      );
      return retrieveCharge(idOf(intent.latest_charge));
    }
    if (kind === 'dp' || kind === 'du') {
      const dispute = await call({ ...shared, operation: 'disputes.retrieve' }, (options) =>
        stripe.disputes.retrieve(reference, {}, options),
      );
      return retrieveCharge(idOf(dispute.charge));
    }
    const refund = await call({ ...shared, operation: 'refunds.retrieve' }, (options) =>
      stripe.refunds.retrieve(reference, {}, options),
    );
    return retrieveCharge(idOf(refund.charge));

    async function retrieveCharge(id: string | null): Promise<Stripe.Charge> {
      if (!id) throw new ProviderError('stripe', 'missing', 'Stripe: the object has no charge.');
      return call({ ...shared, operation: 'charges.retrieve' }, (options) => stripe.charges.retrieve(id, {}, options));
    }
  }

  /** Payments of subscriptions do not have our metadata: their invoice has. */
  async function fetchInvoiceOf(charge: Stripe.Charge, shared: SharedOptions) {
    const intent = idOf(charge.payment_intent);
    if (!intent || metadataIn(charge.metadata).orderId) return null;
    const payments = await call({ ...shared, operation: 'invoicePayments.list' }, (options) =>
      stripe.invoicePayments.list(
        { payment: { type: 'payment_intent', payment_intent: intent }, limit: 1, expand: ['data.invoice'] },
        options,
      ),
    );
    const invoice = payments.data[0]?.invoice;
    if (typeof invoice !== 'object' || invoice.deleted) return null;
    return { invoiceId: invoice.id ?? '', metadata: invoice.parent?.subscription_details?.metadata ?? null };
  }

  /** After the end of a dispute the bank may dispute another part of the charge, or all of it again. */
  async function fetchDisputes(charge: Stripe.Charge, shared: SharedOptions) {
    if (!charge.disputed) return { isDisputed: false, lostCents: 0 };
    const { data: disputes } = await call({ ...shared, operation: 'disputes.list' }, (options) =>
      stripe.disputes.list({ charge: charge.id, limit: 100 }, options),
    );
    const lost = disputes.filter(({ status }) => status === 'lost');
    return {
      isDisputed: disputes.some(({ status }) => !closedDisputeStates.includes(status)),
      lostCents: lost.reduce((sum, { amount }) => sum + amount, 0),
    };
  }

  async function fetchRefunds(of: Stripe.RefundListParams, shared: SharedOptions): Promise<Stripe.Refund[]> {
    const refunds = await call({ ...shared, operation: 'refunds.list' }, (options) =>
      stripe.refunds.list({ ...of, limit: 100 }, options),
    );
    return refunds.data;
  }

  async function fetchPayment(reference: string, shared: SharedOptions): Promise<PaymentSnapshot> {
    const charge = await fetchCharge(reference, shared);
    const [invoice, refunds, disputes] = await Promise.all([
      fetchInvoiceOf(charge, shared),
      fetchRefunds({ charge: charge.id }, shared),
      fetchDisputes(charge, shared),
    ]);
    return paymentSnapshotOf(charge, invoice, {
      ownRefunds: refunds.flatMap(ownRefundOf),
      failedRefunds: refunds.flatMap(failedRefundOf),
      refunds: refunds.filter((refund) => !hasFailed(refund)).map(madeRefundOf),
      ...disputes,
    });
  }

  return {
    fetchPayment: (account, reference, signal) =>
      fetchPayment(reference, { account, budget: newBudget(account), signal }),

    async listReversals(account, kind, range, signal) {
      const params = pageParams(range);
      const page = await call(
        { account, operation: `${kind}s.list`, signal },
        (options): Promise<Stripe.ApiList<Stripe.Refund | Stripe.Dispute>> =>
          kind === 'refund' ? stripe.refunds.list(params, options) : stripe.disputes.list(params, options),
      );
      return {
        references: page.data.flatMap(({ charge, payment_intent: intent }) => idOf(intent) ?? idOf(charge) ?? []),
        next: nextOf(page),
      };
    },

    async refundPayment(account, { paymentId, amountCents, refundId, returnId }, key, signal) {
      const shared = { account, budget: newBudget(account), signal };
      // A key expires after a day, so a refund that was made before is found by its metadata.
      const made = await fetchRefunds({ payment_intent: paymentId }, shared);
      if (made.some(({ metadata }) => metadata?.[refundIdField] === refundId)) return;
      const metadata = { [refundIdField]: refundId, ...(returnId && { [returnIdField]: returnId }) };
      await call({ ...shared, operation: 'refunds.create', key }, (options) =>
        stripe.refunds.create({ payment_intent: paymentId, amount: amountCents, metadata }, options),
      );
    },

    async listEvents(account, range, signal) {
      const page = await call({ account, operation: 'events.list', signal }, (options) =>
        stripe.events.list({ types: [...handledEventTypes], ...pageParams(range) }, options),
      );
      return { events: page.data.map(eventOf), next: nextOf(page) };
    },
  };
}

/** The metadata field by which an own refund is found. */
const refundIdField = 'platform_refund_id';

/** The metadata field that says which return it belongs to. */
const returnIdField = 'platform_return_id';

function ownRefundOf({ metadata, amount, created }: Stripe.Refund): OwnRefund[] {
  const refundId = metadata?.[refundIdField];
  if (!refundId) return [];
  const createdAt = new Date(created * 1000);
  return [{ refundId, returnId: metadata[returnIdField] ?? null, amountCents: amount, createdAt }];
}

const hasFailed = ({ status }: Stripe.Refund): boolean => status === 'failed' || status === 'canceled';

const madeRefundOf = ({ id, metadata, amount }: Stripe.Refund): MadeRefund => ({
  id,
  refundId: metadata?.[refundIdField] ?? null,
  amountCents: amount,
});

function failedRefundOf(refund: Stripe.Refund): FailedRefund[] {
  const { status, failure_reason: reason, metadata } = refund;
  const refundId = metadata?.[refundIdField];
  return refundId && hasFailed(refund) ? [{ refundId, failure: reason ?? status ?? 'failed' }] : [];
}

const closedDisputeStates: readonly string[] = ['lost', 'won', 'warning_closed', 'prevented'];

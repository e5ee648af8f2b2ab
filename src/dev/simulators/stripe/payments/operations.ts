import { invalid, oneOf } from '../api/error.ts';
import { list, type Operation, operation, retrieve } from '../api/operation.ts';
import type { Account } from '../state/account.ts';
import type { Charge, InvoicePayment } from '../state/objects.ts';
import { type RefundParams, refundCharge } from './refund.ts';

interface CreateRefundParams extends RefundParams {
  readonly charge?: string;
  readonly payment_intent?: string;
}

export const payments: readonly Operation[] = [
  retrieve('GET /v1/payment_intents/{id}', (account) => account.paymentIntents),
  list('GET /v1/payment_intents', (account) => account.paymentIntents),
  retrieve('GET /v1/charges/{id}', (account) => account.charges),

  operation<CreateRefundParams>(
    'POST /v1/refunds',
    ({ account, params }) => refundCharge(account, chargeToRefund(account, params), params),
    ({ params }) => {
      if ((params.charge === undefined) === (params.payment_intent === undefined))
        throw oneOf(['payment_intent', 'charge']);
    },
  ),
  retrieve('GET /v1/refunds/{id}', (account) => account.refunds),
  list('GET /v1/refunds', (account) => account.refunds),

  retrieve('GET /v1/disputes/{id}', (account) => account.disputes),
  list('GET /v1/disputes', (account) => account.disputes),

  list<InvoicePayment>('GET /v1/invoice_payments', (account) => account.invoicePayments, {
    payment: ({ payment }, wanted) => payment.payment_intent === Object(wanted).payment_intent,
  }),
];

function chargeToRefund(account: Account, { charge, payment_intent: intentId }: CreateRefundParams): Charge {
  if (charge !== undefined) return account.charges.need(charge, 'charge');
  const intent = account.paymentIntents.need(intentId ?? '', 'payment_intent');
  if (intent.status !== 'succeeded' || intent.latest_charge === null) {
    throw invalid(
      `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      'payment_intent',
      'payment_intent_unexpected_state',
    );
  }
  return account.charges.need(intent.latest_charge);
}

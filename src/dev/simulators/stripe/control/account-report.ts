import type { Account } from '../account.ts';
import type { AccountReport } from './control-types.ts';

/** Everything in an account, for a test to count. */
export function accountReport(account: Account): AccountReport {
  return {
    id: account.id,
    sessions: account.sessions.all(),
    payment_intents: account.paymentIntents.all(),
    charges: account.charges.all(),
    refunds: account.refunds.all(),
    disputes: account.disputes.all(),
    customers: account.customers.all(),
    subscriptions: account.subscriptions.all(),
    invoices: account.invoices.all(),
    invoice_payments: account.invoicePayments.all(),
    coupons: account.coupons.all(),
    promotion_codes: account.promotionCodes.all(),
    products: account.products.all(),
    prices: account.prices.all(),
    portal_sessions: account.portalSessions.all(),
    webhook_endpoints: account.webhookEndpoints.all(),
    events: account.events.all(),
    deliveries: account.world.postOffice.deliveriesOf(account).map(({ event, endpoint, state, attempts }) => ({
      event: event.id,
      type: event.type,
      url: endpoint.url,
      state,
      attempts,
    })),
  };
}

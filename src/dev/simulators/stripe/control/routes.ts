import { invalid, noSuch, StripeError } from '../api/error.ts';
import { type Exchange, readBody, sendJson } from '../api/http.ts';
import { Router } from '../api/router.ts';
import { collectInvoice, intentOf } from '../billing/collect-invoice.ts';
import { renewSubscription } from '../billing/renew-subscription.ts';
import { endSubscription } from '../billing/subscription.ts';
import { expireSession, paySession, settleSession } from '../checkout/end-session.ts';
import type { ShopperInput } from '../checkout/shopper.ts';
import { closeDispute, openDispute } from '../payments/dispute.ts';
import { failRefund, refundCharge } from '../payments/refund.ts';
import type { SimulatorState } from '../simulator-state.ts';
import type { Account } from '../state/account.ts';
import type { Session } from '../state/objects.ts';
import type { Table } from '../state/table.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import { addEndpoint } from '../webhooks/operations.ts';
import type { AccountReport } from './client.ts';
import {
  readDeliverySettings,
  readDispute,
  readEndpoint,
  readFault,
  readOutcome,
  readPayInput,
  readRefund,
} from './read-body.ts';

interface ControlRequest {
  readonly simulator: SimulatorState;
  readonly id: string;
  readonly query: URLSearchParams;
  readonly text: string;
}

const idleTimeoutMs = 10_000;

/** The control API, by method and path. */
const controlRoutes: Readonly<Record<string, (request: ControlRequest) => unknown>> = {
  'POST /_control/sessions/{id}/pay': ({ simulator, id, text }) => {
    const { account, row: session } = find(simulator, id, (account) => account.sessions);
    const input = readPayInput(text);
    paySession(account, session, { ...sampleShopper(session), ...input });
    return session;
  },
  'POST /_control/sessions/{id}/settle': ({ simulator, id, text }) => {
    const { account, row: session } = find(simulator, id, (account) => account.sessions);
    settleSession(account, session, readOutcome(text, ['succeeded', 'failed']) === 'succeeded');
    return session;
  },
  'POST /_control/sessions/{id}/expire': ({ simulator, id }) => {
    const { account, row: session } = find(simulator, id, (account) => account.sessions);
    if (session.status !== 'open') throw invalid(`This Checkout Session is ${session.status}.`);
    return expireSession(account, session);
  },
  'POST /_control/subscriptions/{id}/renew': ({ simulator, id, text }) => {
    const { account, row: subscription } = find(simulator, id, (account) => account.subscriptions);
    renewSubscription(account, subscription, readOutcome(text, ['paid', 'failed']));
    return subscription;
  },
  'POST /_control/subscriptions/{id}/cancel': ({ simulator, id }) => {
    const { account, row: subscription } = find(simulator, id, (account) => account.subscriptions);
    if (subscription.status === 'canceled') throw invalid('This subscription is canceled already.');
    return endSubscription(account, subscription);
  },
  'POST /_control/invoices/{id}/pay': ({ simulator, id, text }) => {
    const { account, row: invoice } = find(simulator, id, (account) => account.invoices);
    if (invoice.status !== 'open') throw invalid(`This invoice is ${invoice.status}.`);
    const paid = readOutcome(text, ['paid', 'failed']) === 'paid';
    collectInvoice(account, invoice, paid ? 'paid' : 'declined', { intent: intentOf(account, invoice) });
    const subscription = account.subscriptions.get(invoice.parent.subscription_details?.subscription ?? '');
    if (paid && subscription?.status === 'past_due') {
      account.change(subscription, { status: 'active' }, 'customer.subscription.updated');
    }
    return invoice;
  },
  'POST /_control/charges/{id}/refund': ({ simulator, id, text }) => {
    const { account, row: charge } = find(simulator, id, (account) => account.charges);
    return refundCharge(account, charge, readRefund(text));
  },
  'POST /_control/refunds/{id}/fail': ({ simulator, id }) => {
    const { account, row: refund } = find(simulator, id, (account) => account.refunds);
    return failRefund(account, refund);
  },
  'POST /_control/charges/{id}/dispute': ({ simulator, id, text }) => {
    const { account, row: charge } = find(simulator, id, (account) => account.charges);
    return openDispute(account, charge, readDispute(text));
  },
  'POST /_control/disputes/{id}/close': ({ simulator, id, text }) => {
    const { account, row: dispute } = find(simulator, id, (account) => account.disputes);
    return closeDispute(account, dispute, readOutcome(text, ['won', 'lost'], 'status'));
  },
  'POST /_control/events/{id}/resend': ({ simulator, id }) => {
    const { account, row: event } = find(simulator, id, (account) => account.events);
    simulator.webhooks.dispatch(account, event);
  },

  'POST /_control/faults': ({ simulator, text }) => {
    const fault = readFault(text);
    simulator.faults.add(fault, fault.probability === undefined ? 1 : Number.POSITIVE_INFINITY);
  },
  'DELETE /_control/faults': ({ simulator }) => simulator.faults.clear(),
  'POST /_control/deliveries': ({ simulator, text }) => simulator.webhooks.configure(readDeliverySettings(text)),
  'POST /_control/flush': ({ simulator }) => simulator.webhooks.flush(),
  'GET /_control/idle': async ({ simulator }) => ({
    idle: await simulator.webhooks.idle(idleTimeoutMs),
    pending: simulator.webhooks.pending,
  }),
  'POST /_control/reset': ({ simulator }) => simulator.reset(),
  'GET /_control/requests': ({ simulator, query }) => simulator.requests.matching(query.get('match') ?? '*'),
  'GET /_control/accounts/{key}': ({ simulator, id }) => {
    const account = simulator.account(id);
    return reportAccount(account, simulator.webhooks.deliveriesOf(account));
  },
  'POST /_control/accounts/{key}/tax': ({ simulator, id, text }) => {
    simulator.account(id).taxStatus = readOutcome(text, ['active', 'pending'], 'status');
  },
  'POST /_control/accounts/{key}/webhook-endpoints': ({ simulator, id, text }) => {
    const { events, ...endpoint } = readEndpoint(text);
    return addEndpoint(simulator.account(id), { ...endpoint, ...(events && { enabled_events: [...events] }) });
  },
};

function find<Row extends { readonly id: string }>(
  simulator: SimulatorState,
  id: string,
  table: (account: Account) => Table<Row>,
): { account: Account; row: Row } {
  for (const account of simulator.accounts()) {
    const row = table(account).get(id);
    if (row) return { account, row };
  }
  throw noSuch('object', id);
}

const router = new Router(Object.entries(controlRoutes));

/** Serve a request of a test to the simulator itself, in JSON. */
export async function serveControl(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const { request, response, method, path, query } = exchange;
  const found = router.match(method, path);
  if (!found) return sendJson(response, 404, { error: `no control route ${method} ${path}` });
  const text = await readBody(request);
  const control: ControlRequest = { simulator, id: found.id, query: new URLSearchParams(query), text };
  try {
    sendJson(response, 200, (await found.value(control)) ?? {});
  } catch (error) {
    if (error instanceof StripeError) return sendJson(response, error.status, error.body);
    if (error instanceof SyntaxError) return sendJson(response, 400, { error: error.message });
    sendJson(response, 500, { error: error instanceof Error ? error.stack : String(error) });
  }
}

/** A default shopper, in a country that the session ships to. */
function sampleShopper(session: Session): Required<ShopperInput> {
  const countries: readonly string[] = Object(session['shipping_address_collection']).allowed_countries ?? ['US'];
  return {
    email: 'jenny.rosen@example.com',
    name: 'Jenny Rosen',
    phone: '+14155550123',
    address: {
      line1: '354 Oyster Point Blvd',
      line2: '',
      city: 'South San Francisco',
      state: 'CA',
      postal_code: '94080',
      country: countries.includes('US') ? 'US' : (countries[0] ?? 'US'),
    },
  };
}

/** All objects of an account. */
function reportAccount(account: Account, deliveries: readonly Delivery[]): AccountReport {
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
    products: account.products.all(),
    prices: account.prices.all(),
    portal_sessions: account.portalSessions.all(),
    webhook_endpoints: account.webhookEndpoints.all(),
    events: account.events.all(),
    deliveries: deliveries.map(({ event, endpoint, state, attempts }) => ({
      event: event.id,
      type: event.type,
      url: endpoint.url,
      state,
      attempts,
    })),
  };
}

import type { Account } from '../account.ts';
import { collectInvoice, intentOf } from '../billing/collect-invoice.ts';
import { closeDispute, openDispute } from '../billing/dispute.ts';
import { endSubscription } from '../billing/end-subscription.ts';
import { failRefund } from '../billing/refund.ts';
import { renewSubscription } from '../billing/renew-subscription.ts';
import { expireSession } from '../checkout/end-session.ts';
import { paySession } from '../checkout/pay-session.ts';
import { settleSession } from '../checkout/settle-session.ts';
import { addEndpoint } from '../operations/events.ts';
import { invalid, noSuch } from '../wire/refusal.ts';
import type { Table } from '../wire/table.ts';
import type { SimulatorState } from '../world.ts';
import { accountReport } from './account-report.ts';
import { readDeliverySettings, readEndpoint, readFault, readOutcome, readPayInput } from './read-body.ts';
import { sampleShopper } from './sample-shopper.ts';

export interface Ask {
  readonly world: SimulatorState;
  readonly id: string;
  readonly query: URLSearchParams;
  readonly text: string;
}

const idleTimeoutMs = 10_000;

/** What control can do, by method and path. */
export const controlRoutes: Readonly<Record<string, (ask: Ask) => unknown>> = {
  'POST /_control/sessions/{id}/pay': ({ world, id, text }) => {
    const { account, row: session } = find(world, id, (account) => account.sessions);
    const input = readPayInput(text);
    paySession(account, session, { ...sampleShopper(session), ...input });
    return session;
  },
  'POST /_control/sessions/{id}/settle': ({ world, id, text }) => {
    const { account, row: session } = find(world, id, (account) => account.sessions);
    settleSession(account, session, readOutcome(text, ['succeeded', 'failed']) === 'succeeded');
    return session;
  },
  'POST /_control/sessions/{id}/expire': ({ world, id }) => {
    const { account, row: session } = find(world, id, (account) => account.sessions);
    if (session.status !== 'open') throw invalid(`This Checkout Session is ${session.status}.`);
    return expireSession(account, session);
  },
  'POST /_control/subscriptions/{id}/renew': ({ world, id, text }) => {
    const { account, row: subscription } = find(world, id, (account) => account.subscriptions);
    renewSubscription(account, subscription, readOutcome(text, ['paid', 'failed']));
    return subscription;
  },
  'POST /_control/subscriptions/{id}/cancel': ({ world, id }) => {
    const { account, row: subscription } = find(world, id, (account) => account.subscriptions);
    if (subscription.status === 'canceled') throw invalid('This subscription is canceled already.');
    return endSubscription(account, subscription);
  },
  'POST /_control/invoices/{id}/pay': ({ world, id, text }) => {
    const { account, row: invoice } = find(world, id, (account) => account.invoices);
    if (invoice.status !== 'open') throw invalid(`This invoice is ${invoice.status}.`);
    const paid = readOutcome(text, ['paid', 'failed']) === 'paid';
    collectInvoice(account, invoice, paid ? 'paid' : 'declined', { intent: intentOf(account, invoice) });
    const subscription = account.subscriptions.get(invoice.parent.subscription_details?.subscription ?? '');
    if (paid && subscription?.status === 'past_due') {
      account.change(subscription, { status: 'active' }, 'customer.subscription.updated');
    }
    return invoice;
  },
  'POST /_control/refunds/{id}/fail': ({ world, id }) => {
    const { account, row: refund } = find(world, id, (account) => account.refunds);
    return failRefund(account, refund);
  },
  'POST /_control/charges/{id}/dispute': ({ world, id, text }) => {
    const { account, row: charge } = find(world, id, (account) => account.charges);
    return openDispute(account, charge, Object(JSON.parse(text || '{}')).reason);
  },
  'POST /_control/disputes/{id}/close': ({ world, id, text }) => {
    const { account, row: dispute } = find(world, id, (account) => account.disputes);
    return closeDispute(account, dispute, readOutcome(text, ['won', 'lost'], 'status'));
  },
  'POST /_control/events/{id}/resend': ({ world, id }) => {
    const { account, row: event } = find(world, id, (account) => account.events);
    world.postOffice.post(account, event);
  },

  'POST /_control/faults': ({ world, text }) => world.faults.add(readFault(text)),
  'DELETE /_control/faults': ({ world }) => world.faults.clear(),
  'POST /_control/deliveries': ({ world, text }) => world.postOffice.configure(readDeliverySettings(text)),
  'POST /_control/flush': ({ world }) => world.postOffice.flush(),
  'GET /_control/idle': async ({ world }) => ({
    idle: await world.postOffice.idle(idleTimeoutMs),
    pending: world.postOffice.pending,
  }),
  'POST /_control/reset': ({ world }) => world.reset(),
  'GET /_control/requests': ({ world, query }) => world.requests.matching(query.get('match') ?? '*'),
  'GET /_control/accounts/{key}': ({ world, id }) => accountReport(world.account(id)),
  'POST /_control/accounts/{key}/webhook-endpoints': ({ world, id, text }) => {
    const { url, secret, events } = readEndpoint(text);
    return addEndpoint(world.account(id), { url, secret, ...(events && { enabled_events: [...events] }) });
  },
};

function find<Row extends { readonly id: string }>(
  world: SimulatorState,
  id: string,
  table: (account: Account) => Table<Row>,
): { account: Account; row: Row } {
  for (const account of world.accounts()) {
    const row = table(account).get(id);
    if (row) return { account, row };
  }
  throw noSuch('object', id);
}

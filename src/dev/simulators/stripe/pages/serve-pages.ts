import { StripeError } from '../api/error.ts';
import { parseForm } from '../api/form.ts';
import { type Exchange, readBody, redirect, sendHtml } from '../api/http.ts';
import { updateSubscription } from '../billing/update-subscription.ts';
import { openCart, type PaymentInput, paySession } from '../checkout/end-session.ts';
import type { SimulatorState } from '../simulator-state.ts';
import type { Account } from '../state/account.ts';
import type { Session, StripeObject, Subscription } from '../state/objects.ts';
import { messagePage } from './layout.ts';
import { payPage } from './pay-page.ts';
import { portalPage } from './portal-page.ts';

const acknowledgementMs = 10_000;

/** Serve the pages that a shopper sees: `/pay/{session}` and `/portal/{portal session}`. */
export async function servePages(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const [, kind, id = ''] = exchange.path.split('/');
  for (const account of simulator.accounts()) {
    const session = kind === 'pay' && account.sessions.get(id);
    if (session) return servePayPage(simulator, account, session, exchange);
    const portal = kind === 'portal' && account.portalSessions.get(id);
    if (portal) return servePortal(account, portal, exchange);
  }
  const text =
    kind === 'pay' || kind === 'portal' ? 'This page does not exist, or no longer.' : 'The simulator is running.';
  sendHtml(exchange.response, kind === '' ? 200 : 404, messagePage('Stripe simulator', text));
}

async function servePayPage(
  simulator: SimulatorState,
  account: Account,
  session: Session,
  exchange: Exchange,
): Promise<void> {
  const { method, response } = exchange;
  const values = method === 'POST' ? await readValues(exchange) : {};
  try {
    const cart = openCart(account, session);
    if (method !== 'POST') return sendHtml(response, 200, payPage(account, session, cart, { values, error: null }));
    const event = payAsTyped(account, session, values);
    if (typeof event === 'string') {
      return sendHtml(response, 200, payPage(account, session, cart, { values, error: event }));
    }
    // As on the real page, the store is notified of the payment before the shopper returns.
    await simulator.webhooks.acknowledged(event, acknowledgementMs);
    redirect(response, session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id));
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
    sendHtml(response, 200, closedPage(session));
  }
}

/** The event of a completed session, or a message why it is still open. */
function payAsTyped(
  account: Account,
  session: Session,
  values: Readonly<Record<string, string>>,
): Exclude<ReturnType<typeof paySession>, null> | string {
  try {
    return paySession(account, session, typed(values)) ?? 'Your card was declined. Try another way to pay.';
  } catch (error) {
    if (error instanceof StripeError && error.details.param) return error.message;
    throw error;
  }
}

const outcomes = ['declined', 'processing', 'voucher'] as const;

function typed(values: Readonly<Record<string, string>>): PaymentInput {
  const { email, name, phone, line1, line2, city, state, postal_code, country, outcome, shipping_option } = values;
  const address = { line1, line2, city, state, postal_code, country };
  const given = Object.entries(address).filter(([, value]) => value !== undefined && value !== '');
  return {
    outcome: outcomes.find((known) => known === outcome) ?? 'paid',
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(phone !== undefined && { phone }),
    ...(given.length > 0 && { address: Object.fromEntries(given) }),
    ...(shipping_option !== undefined && { shipping_option: Number(shipping_option) }),
  };
}

function closedPage(session: Session): string {
  if (session.status === 'complete') {
    const href = session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id);
    return messagePage('All done', 'This checkout is complete.', { href, label: 'Continue to the store' });
  }
  const link = session.cancel_url === null ? undefined : { href: session.cancel_url, label: 'Back to the store' };
  return messagePage('This checkout has expired', 'Nothing was charged. Start again from your cart.', link);
}

async function servePortal(account: Account, portal: StripeObject, exchange: Exchange): Promise<void> {
  if (exchange.method === 'POST') {
    const { subscription: id = '', action } = await readValues(exchange);
    const subscription = account.subscriptions.get(id);
    const mine = subscription?.customer === portal['customer'] && subscription?.status !== 'canceled';
    if (subscription && mine)
      updateSubscription(account, subscription, { cancel_at: action === 'cancel' ? periodEndOf(subscription) : null });
    return redirect(exchange.response, exchange.path);
  }
  sendHtml(exchange.response, 200, portalPage(account, portal));
}

/** The portal sets when a subscription ends, and does not change `cancel_at_period_end`. */
const periodEndOf = ({ items }: Subscription): number | null => items.data[0]?.current_period_end ?? null;

async function readValues({ request }: Exchange): Promise<Record<string, string>> {
  const entries = Object.entries(parseForm(await readBody(request)));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

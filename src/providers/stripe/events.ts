import Stripe from 'stripe';

import type { PaymentEvent, PaymentGateway, PaymentSubject } from '#src/domain/ports/payment-gateway.ts';
import { momentOf } from './snapshots.ts';

/** What of Stripe's events the shop acts on, and what each is about. At most 20: one list request takes no more. */
const subjects: Readonly<Record<string, PaymentSubject>> = {
  'checkout.session.completed': 'session',
  'checkout.session.async_payment_succeeded': 'session',
  'checkout.session.async_payment_failed': 'session',
  'checkout.session.expired': 'session',
  'charge.refunded': 'payment',
  'refund.updated': 'payment',
  'refund.failed': 'payment',
  'charge.dispute.created': 'payment',
  'charge.dispute.closed': 'payment',
  'customer.subscription.created': 'subscription',
  'customer.subscription.updated': 'subscription',
  'customer.subscription.deleted': 'subscription',
  'customer.subscription.paused': 'subscription',
  'customer.subscription.resumed': 'subscription',
  'invoice.paid': 'invoice',
  'invoice.payment_failed': 'invoice',
};

export const actedOn: readonly string[] = Object.keys(subjects);

/** How old a signature may be, against replays. */
const toleranceSeconds = 300;

/** Verifying needs neither key nor network, so it has a client of its own. */
const { webhooks } = new Stripe('sk_unused');

export const verifyEvent: PaymentGateway['verifyEvent'] = (rawBody, signature, secrets, now) => {
  for (const secret of secrets) {
    if (!isSigned(rawBody, signature, secret, now)) continue;
    return readEvent(rawBody);
  }
  return 'forged';
};

export function eventOf({ id, type, created, data }: Stripe.Event): PaymentEvent {
  const objectId = 'id' in data.object && typeof data.object.id === 'string' ? data.object.id : '';
  return { eventId: id, type, subject: subjects[type] ?? null, objectId, createdAt: momentOf(created) };
}

function isSigned(rawBody: Buffer, signature: string, secret: string, now: Date): boolean {
  try {
    return webhooks.signature?.verifyHeader(rawBody, signature, secret, toleranceSeconds, undefined, now.getTime()) === true;
  } catch {
    // The SDK says no by throwing, whatever is wrong with a header: it was not signed with this secret.
    return false;
  }
}

function readEvent(rawBody: Buffer): PaymentEvent | 'unreadable' {
  try {
    const event = webhooks.constructEventWithoutVerification(rawBody.toString('utf8'));
    return event.id && event.type && event.data ? eventOf(event) : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

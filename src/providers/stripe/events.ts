import Stripe from 'stripe';
import type { PaymentEvent, PaymentGateway, PaymentSubject } from '#src/domain/ports/payment-gateway.ts';
import type { OwnMetadata } from '#src/domain/ports/payment-snapshots.ts';
import { metadataIn } from './metadata.ts';
import { momentOf } from './snapshots.ts';

/**
 * What of Stripe's events the shop acts on, and what each is about: the one list, by which endpoints are registered,
 * sweeps ask and deliveries are judged. At most 20: one list request takes no more.
 */
const subjects: ReadonlyMap<string, PaymentSubject> = new Map(
  Object.entries({
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
  }),
);

/** The types that an endpoint of a store has to hear of. */
export const handledEventTypes: readonly string[] = [...subjects.keys()];

/** What an event of this type is about; `null`: nothing that the shop acts on. */
const subjectOf = (type: string): PaymentSubject | null => subjects.get(type) ?? null;

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

export function eventOf(event: Stripe.Event): PaymentEvent {
  const { id, type, created, data } = event;
  const objectId = 'id' in data.object && typeof data.object.id === 'string' ? data.object.id : '';
  return {
    eventId: id,
    type,
    subject: subjectOf(type),
    objectId,
    metadata: metadataOn(event),
    createdAt: momentOf(created),
  };
}

/** A charge without our metadata may be ours all the same, as that of a subscription; a refund or a dispute does not show it. */
function metadataOn(event: Stripe.Event): OwnMetadata | null {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
      return metadataIn(event.data.object.metadata);
    case 'invoice.paid':
    case 'invoice.payment_failed':
      return metadataIn(event.data.object.parent?.subscription_details?.metadata ?? null);
    case 'charge.refunded': {
      const metadata = metadataIn(event.data.object.metadata);
      return metadata.orderId === null ? null : metadata;
    }
    default:
      return null;
  }
}

function isSigned(rawBody: Buffer, signature: string, secret: string, now: Date): boolean {
  try {
    return (
      webhooks.signature?.verifyHeader(rawBody, signature, secret, toleranceSeconds, undefined, now.getTime()) === true
    );
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

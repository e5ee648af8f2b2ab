import Stripe from 'stripe';
import type { PaymentEvent, PaymentGateway, PaymentSubject } from '#src/domain/ports/payment-gateway.ts';
import type { OwnMetadata } from '#src/domain/ports/payment-snapshots.ts';
import { holdsUnwritable } from '#src/lib/unwritable.ts';
import { metadataIn } from './metadata.ts';
import { momentOf } from './snapshots.ts';

/**
 * The event types that are handled, and the subject of each. Endpoints are registered for them, sweeps list them, and
 * deliveries are classified by them. At most 20: a list request accepts no more.
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

/** The types that an endpoint of a store must be subscribed to. */
export const handledEventTypes: readonly string[] = [...subjects.keys()];

/** The subject of an event of this type; `null` where the type is not handled. */
const subjectOf = (type: string): PaymentSubject | null => subjects.get(type) ?? null;

/** The maximum age of a signature, against replays. */
const toleranceSeconds = 300;

/** Verifying needs neither key nor network, so it has its own client. */
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

/**
 * The metadata of the event's object, where the event contains it. A charge without our metadata may still be an own
 * one, of a subscription; a refund or a dispute does not contain it.
 */
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
    case 'invoice.payment_failed': {
      // Events have the API version of the account or of the owner's endpoint. Before 2025-03-31 there was no parent.
      const { parent } = event.data.object;
      return parent === undefined ? null : metadataIn(parent?.subscription_details?.metadata ?? null);
    }
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
    // The SDK throws for every kind of invalid header: it was not signed with this secret.
    return false;
  }
}

/** The last moment of the year 9999: PostgreSQL reads no year of five digits from an ISO time. */
const lastMoment = new Date('9999-12-31T23:59:59Z');

const isStorable = ({ eventId, type, objectId, createdAt }: PaymentEvent): boolean =>
  !holdsUnwritable([eventId, type, objectId]) && createdAt >= new Date(0) && createdAt <= lastMoment;

function readEvent(rawBody: Buffer): PaymentEvent | 'unreadable' {
  try {
    const event = webhooks.constructEventWithoutVerification(rawBody.toString('utf8'));
    if (!event.id || !event.type || !event.data) return 'unreadable';
    const read = eventOf(event);
    return isStorable(read) ? read : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

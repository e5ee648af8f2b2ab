import type { PaymentSubject } from '#src/domain/ports/payment-gateway.ts';

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
export const subjectOf = (type: string): PaymentSubject | null => subjects.get(type) ?? null;

import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byOrder, type PersonalData } from '../personal-data.ts';

/** The stored request of a session is not needed after its end: the order has what was sold. */
export const paymentPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'payment_sessions',
    personal: {
      ...blank('url', 'subject', 'subscriber'),
      // The storefront's URLs may contain an email.
      request: sql`(request::jsonb
        || '{"customerEmail": null, "customerId": null, "returnUrl": null, "cancelUrl": null}')::json`,
    },
    beside: ['order_id', 'state', 'provider_session_id', 'created_at'],
    of: (subject) => sql`${byOrder(subject)} and (url is not null or subject is not null or subscriber is not null
      or request ->> 'customerEmail' is not null or request ->> 'customerId' is not null
      or request ->> 'returnUrl' is not null)`,
  }),
  // What the staff wrote may name the shopper.
  anonymisedRows({
    table: 'payment_refunds',
    personal: blank('reason'),
    beside: ['order_id', 'state', 'amount_cents', 'created_at'],
    of: byOrder,
  }),
];

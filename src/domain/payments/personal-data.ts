import { type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import {
  anonymisedRows,
  blank,
  byMention,
  byOrder,
  countRows,
  type DataSubject,
  type PersonalData,
} from '../personal-data.ts';

const mentioning = byMention(sql`concat_ws(' ', request ->> 'returnUrl', request ->> 'cancelUrl')`);

/** The stored request of a session is not needed after its end: the order has what was sold. */
export const paymentPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'payment_sessions',
    stays: 'How the order was paid, for the accounts.',
    ofOrders: 'indexed',
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
  // A checkout without the person's email, or of somebody else: only the storefront's URLs contain it.
  {
    name: 'checkout_urls',
    columns: ['payment_sessions.request'],
    treatment: 'anonymized',
    stays: 'The checkout, which is of another order or of none.',
    find: (ctx, subject) =>
      ctx.tx.execute(sql`
      select created_at, request ->> 'returnUrl' as return_url, request ->> 'cancelUrl' as cancel_url
      from ${othersMentioning(ctx, subject)} order by created_at`),
    count: (ctx, subject) => countRows(ctx, othersMentioning(ctx, subject)),
    async erase(ctx, subject) {
      const rows = await ctx.tx.execute(sql`
        update payment_sessions
        set request = (request::jsonb || '{"returnUrl": null, "cancelUrl": null}')::json
        where tenant_id = ${ctx.tenant.id} and ${mentioning(subject)} returning 1`);
      return rows.length;
    },
  },
  // What the staff wrote may name the shopper.
  anonymisedRows({
    table: 'payment_refunds',
    stays: 'Amounts, for the accounts.',
    ofOrders: 'indexed',
    personal: blank('reason'),
    beside: ['order_id', 'state', 'amount_cents', 'created_at'],
    of: byOrder,
  }),
];

const othersMentioning = ({ tenant }: InTransaction, subject: DataSubject): Sql => sql`
  payment_sessions where tenant_id = ${tenant.id} and order_id <> all(${subject.orderIds}) and ${mentioning(subject)}`;

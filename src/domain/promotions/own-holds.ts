import { type Sql, sql } from '#src/lib/sql.ts';
import { checkoutSubjectOf } from '../checkout-subject.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';

/** The shopper who requests a quote, as far as known. */
export interface Holder {
  readonly customerEmail?: string | undefined;
  readonly cartId?: string | null | undefined;
}

/**
 * A query for what the shopper's own open checkouts hold of a promotion: `uses`, `usesOfEmail` (those with the
 * shopper's email) and `cents`. A new checkout replaces them, so they must not count against it.
 */
export function ownHolds(ctx: Context, { customerEmail, cartId }: Holder, promotionId: Sql): Sql {
  const email = customerEmail ? normaliseEmail(customerEmail) : null;
  return sql`
    select count(*)::int as uses, (count(*) filter (where h.customer_email = ${email}))::int as "usesOfEmail",
      coalesce(sum(h.amount_cents), 0)::int8 as cents
    from payment_sessions s join holds h on h.tenant_id = s.tenant_id and h.order_id = s.order_id
    where s.tenant_id = ${ctx.tenant.id} and s.state in ('creating', 'open') and s.superseded_at is null
      and (s.subject = ${checkoutSubjectOf({ cartId, email })} or s.subscriber = ${email})
      and h.state = 'held' and h.subject_id = ${promotionId}`;
}

import { type Sql, sql } from '#src/lib/sql.ts';
import { checkoutSubjectOf } from '../checkout-subject.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';

/** Who asks what a promotion is worth, as far as that is known. */
export interface Holder {
  readonly customerEmail?: string | undefined;
  readonly cartId?: string | null | undefined;
}

/**
 * What the checkouts that a new one of this shopper supersedes hold of a promotion: `uses`, those of them under the
 * shopper's address, and `cents`. They do not stand in the shopper's own way.
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

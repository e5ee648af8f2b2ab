import { hours } from '#src/lib/duration.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** How many links may be asked for in an hour (api.md, "Rate limits"). Beyond, nothing is mailed, and nobody is told. */
export const linksPerEmailMax = 5;
export const linksPerClientMax = 30;
export const linksWindowMs = hours(1);

/** A request for a link, or the values that it will have. */
export interface Counted {
  readonly email: string;
  readonly clientHash: Buffer | null;
  readonly createdAt: Date;
}

/**
 * The condition that fewer links than the limits allow were asked for in the hour before: for the same address, and by
 * the same client, where it is known.
 *
 * @param before what else has to be true of the links that are counted
 */
export function isWithinLimits(ctx: Context, { email, clientHash, createdAt }: Counted, before: Sql = sql`true`): Sql {
  const since = new Date(createdAt.getTime() - linksWindowMs);
  const isBelow = (condition: Sql, max: number) => sql`(
    select count(*) from sign_in_links
    where tenant_id = ${ctx.tenant.id} and ${condition} and created_at > ${since} and ${before}
    ) < ${Math.max(1, Math.round(max * ctx.settings.rateLimitScale))}`;
  return sql`${isBelow(sql`email = ${email}`, linksPerEmailMax)}
    and ${isBelow(sql`client_hash = ${clientHash}::bytea`, linksPerClientMax)}`;
}

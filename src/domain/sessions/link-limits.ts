import { hmacSha256 } from '#src/lib/crypto.ts';
import { hours } from '#src/lib/duration.ts';
import { rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';

/** How many links may be requested per hour. Beyond that nothing is emailed, and the response is the same. */
export const linksPerEmailMax = 5;
export const linksPerClientMax = 30;
export const linksWindowMs = hours(1);

/** The tables of links: customers and staff are counted apart. */
type LinkTable = 'sign_in_links' | 'staff_links';

/** A request for a link, stored or about to be. */
export interface CountedRequest {
  readonly email: string;
  readonly clientHash: Buffer | null;
  readonly createdAt: Date;
}

/** A client network, hashed: enough to count by, without storing the IP address. */
export function hashClient(ctx: Context, clientNetwork: string | undefined): Buffer | null {
  if (clientNetwork === undefined) return null;
  return hmacSha256(ctx.settings.keyPepper, `client\n${ctx.tenant.id}\n${clientNetwork}`).subarray(0, 16);
}

/**
 * The condition that the links requested in the hour before are fewer than the limits: for the same address and, where
 * it is known, by the same client. For staff the limit of an address is one of each client, so that whoever enters the
 * address of a member does not use up the member's links.
 *
 * @param before a further condition on the links that are counted
 */
export function isWithinLimits(
  ctx: Context,
  table: LinkTable,
  { email, clientHash, createdAt }: CountedRequest,
  before: Sql = sql`true`,
): Sql {
  const since = new Date(createdAt.getTime() - linksWindowMs);
  const isBelow = (condition: Sql, max: number) => sql`(
    select count(*) from ${rawSql(table)}
    where tenant_id = ${ctx.tenant.id} and ${condition} and created_at > ${since} and ${before}
    ) < ${Math.max(1, Math.round(max * ctx.settings.rateLimitScale))}`;
  const ofEmail = sql`email = ${email}`;
  const ofClient = sql`client_hash = ${clientHash}::bytea`;
  const sameClient = sql`client_hash is not distinct from ${clientHash}::bytea`;
  const counted = table === 'staff_links' ? sql`${ofEmail} and ${sameClient}` : ofEmail;
  return sql`${isBelow(counted, linksPerEmailMax)} and ${isBelow(ofClient, linksPerClientMax)}`;
}

/** How many of the links emailed to one address that one client network requested are valid: the newest ones. */
const validMax = 3;

/** The condition that a `link` is one of those. */
export const isAmongTheNewest = (table: LinkTable): Sql => sql`(
  select count(*) from ${rawSql(table)} newer
  where newer.tenant_id = link.tenant_id and newer.email = link.email and newer.outcome = 'mailed'
    and newer.client_hash is not distinct from link.client_hash
    and (newer.created_at, newer.id) > (link.created_at, link.id)) < ${validMax}`;

/** Whether a stored link was within the limits when it was requested, counting only earlier ones. */
export async function isAmongTheFirst(
  ctx: InTransaction,
  table: LinkTable,
  link: CountedRequest & { readonly id: string },
): Promise<boolean> {
  const before = sql`(created_at, id) < (${link.createdAt}, ${link.id})`;
  const [row] = await ctx.tx.execute<{ first: boolean }>(
    sql`select ${isWithinLimits(ctx, table, link, before)} as first`,
  );
  return row?.first ?? false;
}

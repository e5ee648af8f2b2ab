import { mailLink } from '#jobs/sessions.ts';
import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hmacSha256, sha256 } from '#src/lib/crypto.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context } from '../context.ts';
import { deriveTokenWith, readSessionSecret, type Tenant, tokenPurposes } from '../tenants/index.ts';

const linkLifeMs = minutes(15);

export interface LinkRequest {
  readonly email: string;
  /** Where on the storefront to continue. Anything but a path of it is dropped. */
  readonly redirectPath: string | null;
  readonly codeChallenge: string | null;
  /** The network of the client, for rate limiting; undefined when a storefront's server does not forward it. */
  readonly clientNetwork: string | undefined;
}

/**
 * Record a request for a sign-in link. It does not check whether the customer exists, so that neither the response nor
 * its timing reveals it: each request inserts one row and one job, and the worker decides (`mailLink`). Requests beyond
 * the limits insert no row; of concurrent requests that all pass the count here, the worker drops the excess.
 */
export async function requestLink(ctx: Context, request: LinkRequest): Promise<void> {
  if (!ctx.tenant.modules.customer_accounts) return;
  const email = normaliseEmail(request.email);
  const id = newId('link');
  const createdAt = ctx.clock.now();
  const secret = await readSessionSecret(ctx);
  const tokenHash = sha256(deriveTokenWith(ctx, secret, tokenPurposes.signIn, id));
  const clientHash = request.clientNetwork === undefined ? null : hashClient(ctx, request.clientNetwork);

  await transact(ctx, async (ctx) => {
    const [link] = await ctx.tx.execute(sql`
      insert into sign_in_links (tenant_id, id, email, token_hash, secret_number, code_challenge, redirect_path,
        client_hash, expires_at, created_at)
      select ${ctx.tenant.id}, ${id}, ${email}, ${tokenHash}, ${secret.number}::int, ${request.codeChallenge},
        ${safePath(request.redirectPath)}, ${clientHash}::bytea, ${fromNow(ctx.clock, linkLifeMs)}::timestamptz,
        ${createdAt}::timestamptz
      where ${isWithinLimits(ctx, { email, clientHash, createdAt })}
      returning id`);
    if (link) enqueue(ctx, mailLink, { linkId: id });
  });
}

/** Enough to count by, without storing the IP address. */
function hashClient(ctx: Context, clientNetwork: string): Buffer {
  return hmacSha256(ctx.settings.keyPepper, `client\n${ctx.tenant.id}\n${clientNetwork}`).subarray(0, 16);
}

/** How many links may be requested per hour. Beyond that nothing is emailed, and the response is the same. */
export const linksPerEmailMax = 5;
export const linksPerClientMax = 30;
export const linksWindowMs = hours(1);

/** A request for a link, stored or about to be. */
export interface CountedRequest {
  readonly email: string;
  readonly clientHash: Buffer | null;
  readonly createdAt: Date;
}

/**
 * The condition that the links requested in the hour before are fewer than the limits: for the same address and, where
 * it is known, by the same client.
 *
 * @param before a further condition on the links that are counted
 */
export function isWithinLimits(
  ctx: Context,
  { email, clientHash, createdAt }: CountedRequest,
  before: Sql = sql`true`,
): Sql {
  const since = new Date(createdAt.getTime() - linksWindowMs);
  const isBelow = (condition: Sql, max: number) => sql`(
    select count(*) from sign_in_links
    where tenant_id = ${ctx.tenant.id} and ${condition} and created_at > ${since} and ${before}
    ) < ${Math.max(1, Math.round(max * ctx.settings.rateLimitScale))}`;
  return sql`${isBelow(sql`email = ${email}`, linksPerEmailMax)}
    and ${isBelow(sql`client_hash = ${clientHash}::bytea`, linksPerClientMax)}`;
}

const charactersMax = 1000;

/**
 * The path if it stays on the storefront wherever it is used, else null. Browsers follow `//evil.example` and
 * `/\evil.example` to another site, also when tabs or line breaks, which they ignore, stand in between.
 */
export function safePath(path: string | null | undefined): string | null {
  if (!path || path.length > charactersMax) return null;
  return /^\/(?![/\\])[^\\\p{Cc}\s]*$/u.test(path) ? path : null;
}

/** The path of a URL on the store's own storefront; null for any other URL. */
export function pathOnStorefront({ storefrontUrl }: Tenant, address: string | null | undefined): string | null {
  if (!address || !URL.canParse(address)) return null;
  const url = new URL(address);
  const isOnStorefront = url.origin === new URL(storefrontUrl).origin && url.username === '' && url.password === '';
  return isOnStorefront ? safePath(url.pathname + url.search) : null;
}

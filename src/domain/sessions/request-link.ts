import { mailLink } from '#jobs/sessions.ts';
import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context } from '../context.ts';
import { deriveTokenWith, readSessionSecret, type Tenant, tokenPurposes } from '../tenants/index.ts';
import { hashClient, isWithinLimits } from './link-limits.ts';

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
  const clientHash = hashClient(ctx, request.clientNetwork);

  await transact(ctx, async (ctx) => {
    const [link] = await ctx.tx.execute(sql`
      insert into sign_in_links (tenant_id, id, email, token_hash, secret_number, code_challenge, redirect_path,
        client_hash, expires_at, created_at)
      select ${ctx.tenant.id}, ${id}, ${email}, ${tokenHash}, ${secret.number}::int, ${request.codeChallenge},
        ${safePath(request.redirectPath)}, ${clientHash}::bytea, ${fromNow(ctx.clock, linkLifeMs)}::timestamptz,
        ${createdAt}::timestamptz
      where ${isWithinLimits(ctx, 'sign_in_links', { email, clientHash, createdAt })}
      returning id`);
    if (link) enqueue(ctx, mailLink, { linkId: id });
  });
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

import { mailLink } from '#jobs/sessions.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hmacSha256, sha256 } from '#src/lib/crypto.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { transact } from '../database.ts';
import { deriveTokenWith, readSessionSecret, tokenPurposes } from '../tenants/index.ts';
import { safePath } from './storefront-path.ts';

export const linkLifeMs = minutes(15);

/** How many links are mailed in an hour (api.md, "Rate limits"). Beyond, nothing is, and nobody is told. */
const perAddressMax = 5;
const perClientMax = 30;
const windowMs = hours(1);

export interface LinkRequest {
  readonly email: string;
  /** Where on the storefront to go on. What is no path of it is left out. */
  readonly redirectPath: string | null;
  readonly codeChallenge: string | null;
  /** Who asks, as far as that can be counted; undefined where a storefront's server does not say. */
  readonly household: string | undefined;
}

/**
 * Take down that somebody wants to sign in with this address. Whether it is anybody's is not looked at here, so that
 * neither the answer nor its time can tell: one row and one promise for each, and a worker decides (`mailLink`).
 */
export async function requestLink(ctx: Context, request: LinkRequest): Promise<void> {
  if (!ctx.tenant.modules.customer_accounts) return;
  const email = normaliseEmail(request.email);
  const id = newId('link');
  const now = ctx.clock.now();
  const secret = await readSessionSecret(ctx);
  const tokenHash = sha256(deriveTokenWith(ctx, secret, tokenPurposes.signIn, id));
  const client = request.household === undefined ? null : clientHash(ctx, request.household);

  await transact(ctx, async (ctx) => {
    await queueUp(ctx, [`address ${email}`, ...(client ? [`client ${client.toString('hex')}`] : [])]);
    const [link] = await ctx.tx.run(sql`
      insert into sign_in_links (tenant_id, id, email, token_hash, secret_number, code_challenge, redirect_path,
        client_hash, expires_at, created_at)
      select ${ctx.tenant.id}, ${id}, ${email}, ${tokenHash}, ${secret.number}::int, ${request.codeChallenge},
        ${safePath(request.redirectPath)}, ${client}::bytea, ${fromNow(ctx.clock, linkLifeMs)}::timestamptz, ${now}::timestamptz
      where ${isBelow(ctx, sql`email = ${email}`, perAddressMax)}
        and ${isBelow(ctx, sql`client_hash = ${client}::bytea`, perClientMax)}
      returning id`);
    if (link) enqueue(ctx, mailLink, { linkId: id });
  });
}

/** Requests that are counted together wait for each other, so that no burst gets past its count. */
async function queueUp(ctx: InTransaction, subjects: readonly string[]): Promise<void> {
  const keys = subjects.map((subject) => `link of ${ctx.tenant.id}: ${subject}`).toSorted();
  await ctx.tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${keys}::text[]) with ordinality as k(key, place)
    order by place`);
}

function isBelow(ctx: Context, condition: Sql, count: number): Sql {
  const max = Math.max(1, Math.round(count * ctx.settings.rateLimitScale));
  return sql`(
    select count(*) from sign_in_links
    where tenant_id = ${ctx.tenant.id} and ${condition} and created_at > ${fromNow(ctx.clock, -windowMs)}) < ${max}`;
}

/** Enough to count by; nobody reads an address out of it. */
function clientHash(ctx: Context, household: string): Buffer {
  return hmacSha256(ctx.settings.keyPepper, `client\n${ctx.tenant.id}\n${household}`).subarray(0, 16);
}

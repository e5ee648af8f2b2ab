import { completeJob } from '#src/database/transact.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { isEmailAddress } from '#src/lib/email-address.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { findCustomerByEmail } from '../customers/index.ts';
import { type DeliveryCheck, enqueueMail } from '../mail/index.ts';
import { deriveTokenWith, readSessionSecret, tokenPurposes } from '../tenants/index.ts';
import { type CountedRequest, isAmongTheFirst } from './link-limits.ts';

interface WaitingLink extends CountedRequest {
  readonly id: string;
  readonly redirectPath: string | null;
  readonly expiresAt: Date;
}

type Outcome = 'mailed' | 'unknown_address' | 'switched_off' | 'too_late' | 'too_many';

/**
 * Email a requested link if there is a customer with this email address. A job decides this rather than the request, so
 * that the response does not reveal who is a customer.
 */
export async function mailLink(ctx: Context, { linkId }: { linkId: string }): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const link = await lockUndecided(ctx, linkId);
    if (!link) return;
    const outcome = await decideOutcome(ctx, link);
    if (outcome === 'mailed') {
      const left = link.expiresAt.getTime() - ctx.clock.now().getTime();
      enqueueMail(ctx, {
        kind: 'magic_link',
        to: link.email,
        subjectId: linkId,
        data: { redirect_path: link.redirectPath, valid_minutes: Math.max(1, Math.round(left / minutes(1))) },
      });
    }
    await ctx.tx.execute(sql`
      update sign_in_links set outcome = ${outcome} where tenant_id = ${ctx.tenant.id} and id = ${linkId}`);
  });
}

async function lockUndecided(ctx: InTransaction, id: string): Promise<WaitingLink | undefined> {
  const [link] = await ctx.tx.execute<WaitingLink>(sql`
    select id, email, client_hash as "clientHash", redirect_path as "redirectPath", created_at as "createdAt",
      expires_at as "expiresAt"
    from sign_in_links
    where tenant_id = ${ctx.tenant.id} and id = ${id} and outcome is null for update`);
  return link;
}

async function decideOutcome(ctx: InTransaction, link: WaitingLink): Promise<Outcome> {
  const { email, expiresAt } = link;
  if (!ctx.tenant.modules.customer_accounts) return 'switched_off';
  if (expiresAt <= ctx.clock.now()) return 'too_late';
  if (!(await isAmongTheFirst(ctx, 'sign_in_links', link))) return 'too_many';
  const customer = isEmailAddress(email) ? await findCustomerByEmail(ctx, email) : undefined;
  return customer ? 'mailed' : 'unknown_address';
}

/**
 * Whether a link is still worth emailing. It also updates the stored hash to the token that the email will carry: the
 * store's secret may have been rotated since the request, which changes the token. Links emailed before stay invalid.
 */
export const checkLink: DeliveryCheck = async (ctx, { subjectId: linkId }) => {
  const secret = await readSessionSecret(ctx);
  const hash = sha256(deriveTokenWith(ctx, secret, tokenPurposes.signIn, linkId));
  const links = await ctx.tx.execute(sql`
    update sign_in_links set token_hash = ${hash}, secret_number = ${secret.number}
    where tenant_id = ${ctx.tenant.id} and id = ${linkId} and used_at is null and expires_at > ${ctx.clock.now()}
    returning id`);
  return links.length > 0 ? undefined : 'The link was used or has expired.';
};

import { mailStaffLink as mailStaffLinkJob } from '#jobs/staff.ts';
import { lockName } from '#src/database/lock-names.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { rateLimited } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { type DeliveryCheck, enqueueMail } from '../mail/index.ts';
import {
  type CountedRequest,
  hashClient,
  isAmongTheFirst,
  isWithinLimits,
  linksPerEmailMax,
  linksWindowMs,
} from '../sessions/index.ts';
import { deriveTokenWith, readStaffSecret, tokenPurposes } from '../tenants/index.ts';
import { findStaff, type StaffMember } from './staff.ts';

const linkLifeMs = minutes(15);
const invitationLifeMs = days(3);

/** How many links a member is emailed in an hour, whoever requests them. */
export const linksPerMemberMax = 20;

/**
 * Record a request for a sign-in link, whether or not the email address belongs to a member: the worker decides that
 * (`mailStaffLink`), so that neither the response nor its timing reveals it.
 */
export async function requestStaffLink(
  ctx: Context,
  request: { email: string; clientNetwork: string | undefined },
): Promise<void> {
  const { secret } = await readStaffSecret(ctx);
  await transact(ctx, async (ctx) => {
    const link = await insertLink(ctx, secret, {
      email: normaliseEmail(request.email),
      clientHash: hashClient(ctx, request.clientNetwork),
      lifeMs: linkLifeMs,
      outcome: null,
    });
    if (link) enqueue(ctx, mailStaffLinkJob, { linkId: link });
  });
}

/**
 * Email a link to a member who was invited.
 * @throws DomainError `rate_limited` after several in an hour
 */
export async function mailInvitation(ctx: InTransaction, { email }: StaffMember): Promise<void> {
  const { secret } = await readStaffSecret(ctx);
  const link = await insertLink(ctx, secret, {
    email,
    clientHash: null,
    lifeMs: invitationLifeMs,
    outcome: 'mailed',
  });
  if (!link) {
    const limits = { retryAfterSeconds: hours(1) / 1000, limit: linksPerEmailMax };
    throw rateLimited('This member was emailed several links within an hour.', limits);
  }
  enqueueMail(ctx, {
    kind: 'staff_invitation',
    to: email,
    subjectId: link,
    data: { valid_days: invitationLifeMs / days(1) },
  });
}

/** @returns the id of the link, or `undefined` beyond the limits */
async function insertLink(
  ctx: InTransaction,
  secret: string,
  link: { email: string; clientHash: Buffer | null; lifeMs: number; outcome: 'mailed' | null },
): Promise<string | undefined> {
  const { email, clientHash, lifeMs, outcome } = link;
  const id = newId('link');
  const createdAt = ctx.clock.now();
  const token = deriveTokenWith(ctx, { secret }, tokenPurposes.staffSignIn, id);
  const [inserted] = await ctx.tx.execute<{ id: string }>(sql`
    insert into staff_links (tenant_id, id, email, token_hash, client_hash, outcome, expires_at, created_at)
    select ${ctx.tenant.id}, ${id}, ${email}, ${sha256(token)}::bytea, ${clientHash}::bytea, ${outcome},
      ${fromNow(ctx.clock, lifeMs)}::timestamptz, ${createdAt}::timestamptz
    where ${isWithinLimits(ctx, 'staff_links', { email, clientHash, createdAt })}
    returning id`);
  return inserted?.id;
}

interface WaitingLink extends CountedRequest {
  readonly id: string;
  readonly expiresAt: Date;
}

/** Email a requested link if a member has this email address. */
export async function mailStaffLink(ctx: Context, { linkId }: { linkId: string }): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const [link] = await ctx.tx.execute<WaitingLink>(sql`
      select id, email, client_hash as "clientHash", created_at as "createdAt", expires_at as "expiresAt"
      from staff_links
      where tenant_id = ${ctx.tenant.id} and id = ${linkId} and outcome is null for update`);
    if (!link) return;
    const outcome = await decideOutcome(ctx, link);
    if (outcome === 'mailed') {
      const leftMs = link.expiresAt.getTime() - ctx.clock.now().getTime();
      enqueueMail(ctx, {
        kind: 'staff_sign_in',
        to: link.email,
        subjectId: linkId,
        data: { valid_minutes: Math.max(1, Math.round(leftMs / minutes(1))) },
      });
    }
    await ctx.tx.execute(sql`
      update staff_links set outcome = ${outcome} where tenant_id = ${ctx.tenant.id} and id = ${linkId}`);
  });
}

async function decideOutcome(
  ctx: InTransaction,
  link: WaitingLink,
): Promise<'mailed' | 'unknown_address' | 'too_late' | 'too_many'> {
  if (link.expiresAt <= ctx.clock.now()) return 'too_late';
  if (!(await isAmongTheFirst(ctx, 'staff_links', link))) return 'too_many';
  if ((await countMailed(ctx, link)) >= Math.max(1, Math.round(linksPerMemberMax * ctx.settings.rateLimitScale)))
    return 'too_many';
  return (await findStaff(ctx, link.email)) ? 'mailed' : 'unknown_address';
}

/** How many links were emailed to this address in the hour before, counted by one transaction at a time. */
async function countMailed(ctx: InTransaction, { email, createdAt }: WaitingLink): Promise<number> {
  await lockName(ctx, 'staff links', email);
  const [row] = await ctx.tx.execute<{ count: number }>(sql`
    select count(*)::int as count from staff_links
    where tenant_id = ${ctx.tenant.id} and email = ${email} and outcome = 'mailed'
      and created_at > ${new Date(createdAt.getTime() - linksWindowMs)}`);
  return row?.count ?? 0;
}

/** Whether a link is still worth emailing. */
export const checkStaffLink: DeliveryCheck = async (ctx, { subjectId: linkId }) => {
  const links = await ctx.tx.execute(sql`
    select link.id from staff_links link
    join staff on staff.tenant_id = link.tenant_id and staff.email = link.email and staff.revoked_at is null
    where link.tenant_id = ${ctx.tenant.id} and link.id = ${linkId} and link.used_at is null
      and link.expires_at > ${ctx.clock.now()}`);
  return links.length > 0 ? undefined : 'The link was used or has expired, or the member was revoked.';
};

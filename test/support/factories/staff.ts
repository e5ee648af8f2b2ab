import { mailStaffLink as mailStaffLinkJob } from '#jobs/staff.ts';
import { readOne, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import {
  consumeStaffLink,
  mailStaffLink,
  mailVerificationCode,
  requestStaffLink,
  type StaffSession,
  saveStaff,
  verifyStaffSession,
} from '#src/domain/staff/index.ts';
import type { StaffInput, StaffMember } from '#src/domain/staff/staff.ts';
import { deriveCode, deriveTokenWith, readStaffSecret, tokenPurposes } from '#src/domain/tenants/index.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueuedJobs } from '../enqueued-jobs.ts';
import { newAddress } from './mail.ts';

/** A member of the store's staff: an owner, unless another role is given. */
export async function buildStaff(ctx: Context, given: Partial<StaffInput> = {}): Promise<StaffMember> {
  const input = { email: newAddress(), name: 'Ada', role: 'owner', ...given } as const;
  return (await transact(ctx, (ctx) => saveStaff(ctx, input, ['admin:write']))).member;
}

/** Request a link and let the worker decide. Returns the token that is in the email, or would be. */
export async function buildStaffLink(ctx: Context, email: string, clientNetwork?: string): Promise<string> {
  await requestStaffLink(ctx, { email, clientNetwork });
  const { linkId } = (await enqueuedJobs(ctx, mailStaffLinkJob)).at(-1) ?? { linkId: '' };
  await mailStaffLink(ctx, { linkId });
  return deriveTokenWith(ctx, await readStaffSecret(ctx), tokenPurposes.staffSignIn, linkId);
}

/** A member who is signed in, with the header that a browser sends. */
export async function buildStaffSession(
  ctx: Context,
  given: Partial<StaffInput> = {},
): Promise<StaffSession & { token: string; headers: { cookie: string } }> {
  const { email } = await buildStaff(ctx, given);
  const { session, token } = await consumeStaffLink(ctx, { token: await buildStaffLink(ctx, email) });
  return { ...session, token, headers: { cookie: `staff_session=${token}` } };
}

/** The code that a member without an app is emailed, or would be. */
export async function buildVerificationCode(ctx: Context, session: StaffSession): Promise<string> {
  await mailVerificationCode(ctx, session);
  const purpose = `staff.${session.id}`;
  const sent = await readOne<{ id: string }>(
    ctx,
    sql`
    select id from one_time_passwords where tenant_id = ${ctx.tenant.id} and purpose = ${purpose}
    order by id desc limit 1`,
  );
  return deriveCode(ctx, purpose, sent?.id ?? '');
}

/** Verify a session with an emailed code. */
export async function verify(ctx: Context, session: StaffSession): Promise<void> {
  await verifyStaffSession(ctx, session, await buildVerificationCode(ctx, session));
}

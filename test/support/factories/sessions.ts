import { mailLink as mailLinkJob } from '#jobs/sessions.ts';
import { read } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import type { Customer } from '#src/domain/customers/index.ts';
import { consumeLink, mailLink, requestLink } from '#src/domain/sessions/index.ts';
import type { LinkRequest } from '#src/domain/sessions/request-link.ts';
import type { GrantedSession } from '#src/domain/sessions/session.ts';
import { deriveToken, tokenPurposes } from '#src/domain/tenants/index.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueuedJobs } from '../enqueued-jobs.ts';
import { buildCustomer } from './customers.ts';

export const linkRequest = (email: string, given: Partial<LinkRequest> = {}): LinkRequest => ({
  email,
  redirectPath: null,
  codeChallenge: null,
  clientNetwork: undefined,
  ...given,
});

/** Request a link and let the worker decide. Returns the token that is in the email, or would be. */
export async function buildLink(ctx: Context, email: string, given: Partial<LinkRequest> = {}): Promise<string> {
  await requestLink(ctx, linkRequest(email, given));
  const { linkId } = (await enqueuedJobs(ctx, mailLinkJob)).at(-1) ?? { linkId: '' };
  await mailLink(ctx, { linkId });
  return deriveToken(ctx, tokenPurposes.signIn, linkId);
}

/** A customer who is signed in. */
export async function buildSession(
  ctx: Context,
  given: { email?: string; name?: string } = {},
): Promise<GrantedSession & { customer: Customer }> {
  const customer = await buildCustomer(ctx, given);
  const session = await consumeLink(ctx, { token: await buildLink(ctx, customer.email), codeVerifier: null });
  return { ...session, customer };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** What became of each link of an address, the oldest first. */
export async function linksOf(
  ctx: Context,
  email: string,
): Promise<{ outcome: string | null; redirectPath: string | null; client: string | null }[]> {
  return read(
    ctx,
    sql`
    select outcome, redirect_path as "redirectPath", encode(client_hash, 'hex') as client from sign_in_links
    where tenant_id = ${ctx.tenant.id} and email = ${email} order by created_at, id`,
  );
}

/** How each session of a customer stands: `open`, or why it ended. */
export async function sessionsOf(ctx: Context, customerId: string): Promise<string[]> {
  const rows = await read<{ state: string }>(
    ctx,
    sql`
    select coalesce(end_reason, 'open') as state from sessions
    where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId} order by id`,
  );
  return rows.map(({ state }) => state);
}

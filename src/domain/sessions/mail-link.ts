import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { findCustomerByEmail } from '../customers/index.ts';
import { conclude } from '../database.ts';
import { isAddress, promiseMail } from '../mail/index.ts';

interface WaitingLink {
  readonly email: string;
  readonly redirectPath: string | null;
  readonly expiresAt: Date;
}

type Outcome = 'mailed' | 'unknown_address' | 'switched_off' | 'too_late';

/**
 * Mail a link to whoever asked for one, if the shop knows them: whoever has a customer record. Here and not in the
 * request, so that whoever asks learns nothing.
 */
export async function mailLink(ctx: Context, { linkId }: { linkId: string }): Promise<void> {
  await conclude(ctx, async (ctx) => {
    const link = await lockUndecided(ctx, linkId);
    if (!link) return;
    const outcome = await judge(ctx, link);
    if (outcome === 'mailed') {
      const left = link.expiresAt.getTime() - ctx.clock.now().getTime();
      await promiseMail(ctx, {
        kind: 'magic_link', to: link.email, subjectId: linkId,
        data: { redirect_path: link.redirectPath, valid_minutes: Math.max(1, Math.round(left / minutes(1))) },
      });
    }
    await ctx.tx.run(sql`
      update sign_in_links set outcome = ${outcome} where tenant_id = ${ctx.tenant.id} and id = ${linkId}`);
  });
}

async function lockUndecided(ctx: InTransaction, id: string): Promise<WaitingLink | undefined> {
  const [link] = await ctx.tx.run<WaitingLink>(sql`
    select email, redirect_path as "redirectPath", expires_at as "expiresAt" from sign_in_links
    where tenant_id = ${ctx.tenant.id} and id = ${id} and outcome is null for update`);
  return link;
}

async function judge(ctx: InTransaction, { email, expiresAt }: WaitingLink): Promise<Outcome> {
  if (!ctx.tenant.modules.customer_accounts) return 'switched_off';
  if (expiresAt <= ctx.clock.now()) return 'too_late';
  const customer = isAddress(email) ? await findCustomerByEmail(ctx, email) : undefined;
  return customer ? 'mailed' : 'unknown_address';
}

import { read } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { joinWaitlist } from '#src/domain/leads/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';

/** A waitlist entry for a variant or a product, with a unique email. */
export async function buildWaiting(
  ctx: Context,
  wanted: { variantId?: string; productSlug?: string; email?: string },
): Promise<{ email: string; leadId: string }> {
  const email = wanted.email ?? `${randomText(8)}@example.com`;
  const { id } = await joinWaitlist(ctx, {
    email,
    product_slug: wanted.productSlug ?? null,
    variant_id: wanted.variantId ?? null,
  });
  return { email, leadId: id };
}

/** The recipients of enqueued restock emails, sorted. */
export async function restockMailsOf(ctx: Context): Promise<{ recipient: string; data: Record<string, unknown> }[]> {
  return read(
    ctx,
    sql`
    select recipient, data from mails where tenant_id = ${ctx.tenant.id} and kind = 'restock' order by recipient, id`,
  );
}

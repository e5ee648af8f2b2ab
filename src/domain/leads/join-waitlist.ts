import { write } from '#src/database/transact.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { upsertLead } from './capture-lead.ts';
import type { WaitlistInput } from './lead-input.ts';

/**
 * Join the waitlist of a variant, or of any variant of a product. Joining twice has no effect, until one was notified and
 * joins again.
 *
 * @returns the lead, and whether its place on the list is new: an email then follows
 * @throws DomainError `invalid_request` when neither product nor variant is named, `unknown_product` when what is
 *   named is not on sale here
 */
export async function joinWaitlist(
  ctx: Context,
  { email, product_slug: slug, variant_id: variantId }: WaitlistInput,
): Promise<{ id: string; isNew: boolean }> {
  if (!slug && !variantId) throw waitlistError('invalid_request', '/product_slug', 'is required without a variant_id');
  const wanted = sql`
    select p.id as product_id, v.id as variant_id
    from products p
    left join variants v on v.tenant_id = p.tenant_id and v.product_id = p.id and v.id = ${variantId ?? null}
      and v.removed_at is null
    where p.tenant_id = ${ctx.tenant.id} and p.status = 'published' and p.removed_at is null
      and ${slug ? sql`p.slug = ${slug}` : sql`true`} and ${variantId ? sql`v.id is not null` : sql`true`}`;
  const [lead] = await write<{ id: string; isNew: boolean }>(
    ctx,
    sql`
    wanted as (${wanted}),
    lead as (${upsertLead(ctx, { email, source: 'waitlist' }, sql`from wanted`)}),
    entry as (
      insert into waitlist_entries (tenant_id, id, lead_id, email, product_id, variant_id, created_at)
      select ${ctx.tenant.id}, ${newId('wait')}, lead.id, ${normaliseEmail(email)}, wanted.product_id,
        wanted.variant_id, ${ctx.clock.now()}::timestamptz
      from lead, wanted
      on conflict (tenant_id, product_id, email, variant_id) where notified_at is null do nothing
      returning id)`,
    sql`
    select id, exists (select from entry) as "isNew" from lead`,
  );
  if (!lead) throw waitlistError('unknown_product', variantId ? '/variant_id' : '/product_slug', 'is not on sale here');
  return lead;
}

function waitlistError(code: 'invalid_request' | 'unknown_product', path: string, detail: string): DomainError {
  const message =
    code === 'unknown_product' ? 'There is no such product for sale.' : 'A product or a variant must be named.';
  return new DomainError('invalid', code, message, { extensions: { errors: [{ path, code, detail }] } });
}

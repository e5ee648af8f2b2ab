import { write } from '#src/database/transact.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import type { PartnerApplicationInput } from './partner-input.ts';

export interface PartnerApplication {
  readonly id: string;
  readonly status: 'pending' | 'accepted' | 'declined';
}

/** Somebody would like to become a partner: kept for the owner to decide. */
export async function applyAsPartner(ctx: Context, input: PartnerApplicationInput): Promise<PartnerApplication> {
  const id = newId('inq');
  await write(
    ctx,
    sql`
    application as (
      insert into partner_applications (tenant_id, id, email, name, website, message, status, created_at)
      values (${ctx.tenant.id}, ${id}, ${normaliseEmail(input.email)}, ${input.name ?? null}, ${input.website ?? null},
        ${input.message ?? null}, 'pending', ${ctx.clock.now()})
      returning id)`,
    sql`
    select id from application`,
  );
  return { id, status: 'pending' };
}

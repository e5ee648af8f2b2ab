import { lockNames } from '#src/database/lock-names.ts';
import { assignChanges } from '#src/lib/assign-changes.ts';
import { days, parseDuration } from '#src/lib/duration.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { roundPercent } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { Change, IdentifiedChange } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { normalisePartnerCode, Partner, type PartnerInput } from './partner.ts';

const defaultWindowMs = days(30);
const windowMsMax = days(3650);

/**
 * Create or update a partner. Saving a removed partner restores it. Orders attributed before keep their commission.
 * @throws DomainError `invalid_request` when the window is zero or more than ten years
 */
export async function savePartner(ctx: InTransaction, input: PartnerInput): Promise<IdentifiedChange> {
  const { em } = ctx.tx;
  const now = ctx.clock.now();
  const code = normalisePartnerCode(input.code);
  const subject = `partner ${code}`;
  const wanted = {
    name: input.name,
    commissionPercent: roundPercent(input.commission_percent ?? 0),
    discountPercent: roundPercent(input.discount_percent ?? 0),
    windowMs: readWindow(input.window),
    removedAt: null,
  };
  await lockNames(ctx, 'partner', [code]);
  const partner = await em.findOne(Partner, { tenantId: ctx.tenant.id, code });
  if (!partner) {
    const id = newId('part');
    em.create(Partner, { tenantId: ctx.tenant.id, id, code, ...wanted, createdAt: now, updatedAt: now });
    await em.flush();
    return { id, subject, action: 'created', fields: Object.keys(input) };
  }
  const { id } = partner;
  const action = partner.removedAt ? 'created' : 'updated';
  const values = assignChanges(partner, wanted);
  const fields = Object.keys(values);
  if (fields.length === 0) return { id, subject, action: 'unchanged', fields };
  partner.updatedAt = now;
  await em.flush();
  return { id, subject, action, fields, values };
}

function readWindow(written: PartnerInput['window']): number {
  const windowMs = written ? (parseDuration(written) ?? 0) : defaultWindowMs;
  if (windowMs >= 1 && windowMs <= windowMsMax) return windowMs;
  throw invalidRequest('The attribution window of a partner is out of range.', {
    path: '/window',
    code: 'duration',
    detail: 'must be more than 0s and at most 3650d',
  });
}

/** Remove a partner: neither the code nor earlier visits attribute orders any more. Attributed orders stay so. */
export async function removePartner(ctx: InTransaction, written: string): Promise<Change> {
  const code = normalisePartnerCode(written);
  const now = ctx.clock.now();
  await lockNames(ctx, 'partner', [code]);
  const [removed] = await ctx.tx.execute<{ id: string }>(sql`
    update partners set removed_at = ${now}, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and code = ${code} and removed_at is null
    returning id`);
  return { ...removed, subject: `partner ${code}`, action: removed ? 'removed' : 'unchanged', fields: [] };
}

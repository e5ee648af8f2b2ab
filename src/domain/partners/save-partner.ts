import { lockNames } from '#src/database/lock-names.ts';
import { days, parseDuration } from '#src/lib/duration.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { roundPercent } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { Change, IdentifiedChange } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { saveCoded } from '../save-coded.ts';
import { normalisePartnerCode, Partner, type PartnerInput } from './partner.ts';

const defaultWindowMs = days(30);
const windowMsMax = days(3650);

/**
 * Create or update a partner. Saving a removed partner restores it. Orders attributed before keep their commission.
 * @throws DomainError `invalid_request` when the window is zero or more than ten years
 */
export async function savePartner(ctx: InTransaction, input: PartnerInput): Promise<IdentifiedChange> {
  const [change] = await savePartners(ctx, [input]);
  if (!change) throw new TypeError('Saving a partner returned no change.');
  return change;
}

/** The same for many. */
export function savePartners(ctx: InTransaction, inputs: readonly PartnerInput[]): Promise<IdentifiedChange[]> {
  const given = inputs.map((input) => ({
    code: normalisePartnerCode(input.code),
    wanted: {
      name: input.name,
      commissionPercent: roundPercent(input.commission_percent ?? 0),
      discountPercent: roundPercent(input.discount_percent ?? 0),
      windowMs: readWindow(input.window),
      removedAt: null,
    },
    fields: Object.keys(input),
  }));
  return saveCoded(ctx, { entityName: Partner, kind: 'partner', idPrefix: 'part' }, given);
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

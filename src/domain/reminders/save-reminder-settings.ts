import { assignChanges, changedValues } from '#src/lib/assign-changes.ts';
import { parseDuration } from '#src/lib/duration.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';
import {
  defaultReminderSettings,
  type ReminderSettings,
  ReminderSettingsEntity,
  type ReminderSettingsInput,
} from './reminder-settings.ts';

const subject = 'reminders';

/**
 * Say when the store reminds of saved carts; whatever `input` leaves out is as by default.
 * @throws DomainError `invalid_request` when the steps do not rise
 */
export async function saveReminderSettings(ctx: InTransaction, input: ReminderSettingsInput): Promise<Change> {
  const { em } = ctx.tx;
  const now = ctx.clock.now();
  const wanted = complete(input);
  const row = { ...wanted, stepsMs: [...wanted.stepsMs] };
  const found = await em.findOne(ReminderSettingsEntity, { tenantId: ctx.tenant.id });
  if (!found) {
    em.create(ReminderSettingsEntity, { tenantId: ctx.tenant.id, ...row, createdAt: now, updatedAt: now });
    await em.flush();
    return { subject, action: 'created', fields: Object.keys(input) };
  }
  const values = changedValues(found, row);
  const fields = assignChanges(found, row).map((field) => field.replace(/_ms$/, ''));
  if (fields.length === 0) return { subject, action: 'unchanged', fields };
  found.updatedAt = now;
  await em.flush();
  return { subject, action: 'updated', fields, values };
}

function complete(input: ReminderSettingsInput): ReminderSettings {
  const stepsMs = input.steps?.map((step) => parseDuration(step) ?? 0) ?? defaultReminderSettings.stepsMs;
  if (stepsMs.some((step, index) => index > 0 && step <= (stepsMs[index - 1] ?? 0))) {
    throw invalidRequest('Each reminder must come later than the one before.', {
      path: '/steps',
      code: 'order',
      detail: 'must rise',
    });
  }
  const [from, until] = input.quiet_hours ?? [];
  return {
    enabled: input.enabled ?? defaultReminderSettings.enabled,
    stepsMs,
    quietHours:
      input.quiet_hours === undefined ? defaultReminderSettings.quietHours : from && until ? [from, until] : null,
    perAddressMs: input.per_address ? (parseDuration(input.per_address) ?? 0) : defaultReminderSettings.perAddressMs,
  };
}

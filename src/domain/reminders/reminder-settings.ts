import { defineEntity, p } from '@mikro-orm/core';
import { lockNames } from '#src/database/lock-names.ts';
import { readOne } from '#src/database/transact.ts';
import { assignChanges } from '#src/lib/assign-changes.ts';
import { formatDuration, hours, parseDuration } from '#src/lib/duration.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { Duration, Nullable, Omittable, type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Issue } from '#src/lib/validation.ts';
import type { Change } from '../change.ts';
import { checkDuration, type DurationBounds } from '../checks.ts';
import type { Context, InTransaction } from '../context.ts';
import type { Settings } from '../settings.ts';

const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['21:00'] });

/** The section `reminders` of a store file. Omitted fields have their default. */
export const ReminderSettingsInput = Type.Object({
  enabled: Type.Optional(Type.Boolean({ examples: [true] })),
  steps: Type.Optional(Type.Array(Duration, { minItems: 1, maxItems: 3, examples: [['1h', '24h', '72h']] })),
  /** From and until, in the store's time zone; null for none. */
  quiet_hours: Omittable(Type.Array(TimeOfDay, { minItems: 2, maxItems: 2, examples: [['21:00', '08:00']] })),
  per_address: Type.Optional(Duration),
});
export type ReminderSettingsInput = Static<typeof ReminderSettingsInput>;

/** A saved cart expires after 30 days, and quiet hours postpone a reminder by up to one. */
const stepBounds: DurationBounds = ['5m', '29d'];

/** The issues of reminder settings beyond their schema. */
export const issuesOfReminders = ({ steps, per_address }: ReminderSettingsInput, settings: Settings): Issue[] => [
  ...(steps ?? []).flatMap((step, index) => checkDuration(`/steps/${index}`, step, stepBounds, settings)),
  ...checkDuration('/per_address', per_address, ['1m', '30d'], settings),
];

export const ReminderSettingsEntity = defineEntity({
  name: 'ReminderSettings',
  tableName: 'reminder_settings',
  properties: {
    tenantId: p.string().primary(),
    enabled: p.boolean(),
    stepsMs: p.json<number[]>(),
    quietHours: p.json<QuietHours>().nullable(),
    perAddressMs: p.bigint('number'),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** `HH:MM` from and until, in the store's time zone. */
export type QuietHours = readonly [from: string, until: string];

/** When a store sends reminders of saved carts. */
export interface ReminderSettings {
  readonly enabled: boolean;
  /** The time from saving a cart to each reminder, in ascending order. */
  readonly stepsMs: readonly number[];
  /** Reminders due within them are postponed to their end. */
  readonly quietHours: QuietHours | null;
  /** One email address gets at most one reminder within this time. */
  readonly perAddressMs: number;
}

/**
 * The settings of stores that never saved any. Saving copies them into the store's row, so a later change of a default
 * reaches only stores without a row. A step that is due within `perAddressMs` after another reminder was sent is
 * skipped as `recently_reminded`, and a cart has at most three steps.
 */
export const defaultReminderSettings: ReminderSettings = {
  enabled: true,
  stepsMs: [hours(1), hours(24), hours(72)],
  quietHours: ['21:00', '08:00'],
  perAddressMs: hours(16),
};

/** The store's reminder settings, or the defaults. */
export async function reminderSettings(ctx: Context): Promise<ReminderSettings> {
  const settings = await readOne<ReminderSettings>(
    ctx,
    sql`
    select enabled, steps_ms as "stepsMs", quiet_hours as "quietHours", per_address_ms as "perAddressMs"
    from reminder_settings where tenant_id = ${ctx.tenant.id}`,
  );
  return settings ?? defaultReminderSettings;
}

export const ReminderSettingsView = Type.Object(
  {
    enabled: Type.Boolean(),
    steps: Type.Array(Duration),
    quiet_hours: Nullable(Type.Array(TimeOfDay, { examples: [['21:00', '08:00']] })),
    per_address: Duration,
  },
  { title: 'ReminderSettings' },
);
export type ReminderSettingsView = Static<typeof ReminderSettingsView>;

export function presentReminderSettings(settings: ReminderSettings): ReminderSettingsView {
  return {
    enabled: settings.enabled,
    steps: settings.stepsMs.map(formatDuration),
    quiet_hours: settings.quietHours && [...settings.quietHours],
    per_address: formatDuration(settings.perAddressMs),
  };
}

const subject = 'reminders';

/**
 * Save the store's reminder settings. Fields that `input` omits get their default.
 * @throws DomainError `invalid_request` when the steps are not in ascending order
 */
export async function saveReminderSettings(ctx: InTransaction, input: ReminderSettingsInput): Promise<Change> {
  const { em } = ctx.tx;
  const now = ctx.clock.now();
  const wanted = complete(input);
  const row = { ...wanted, stepsMs: [...wanted.stepsMs] };
  await lockNames(ctx, 'reminders', ['reminders']);
  const found = await em.findOne(ReminderSettingsEntity, { tenantId: ctx.tenant.id });
  if (!found) {
    em.create(ReminderSettingsEntity, { tenantId: ctx.tenant.id, ...row, createdAt: now, updatedAt: now });
    await em.flush();
    return { subject, action: 'created', fields: Object.keys(input) };
  }
  const values = assignChanges(found, row);
  const fields = Object.keys(values);
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
      detail: 'must be in ascending order',
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

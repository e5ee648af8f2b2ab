import { defineEntity, p } from '@mikro-orm/core';

import { hours } from '#src/lib/duration.ts';
import { Duration, Omittable, type Static, Type } from '#src/lib/schema.ts';

const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['21:00'] });

/** The section `reminders` of a store file: whatever is left out is as by default. */
export const ReminderSettingsInput = Type.Object({
  enabled: Type.Optional(Type.Boolean({ examples: [true] })),
  steps: Type.Optional(Type.Array(Duration, { minItems: 1, maxItems: 3, examples: [['1h', '24h', '72h']] })),
  /** From and until, by the store's clock; null where any time is good. */
  quiet_hours: Omittable(Type.Array(TimeOfDay, { minItems: 2, maxItems: 2, examples: [['21:00', '08:00']] })),
  per_address: Type.Optional(Duration),
});
export type ReminderSettingsInput = Static<typeof ReminderSettingsInput>;

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

/** `HH:MM` from and until, by the store's clock. */
export type QuietHours = readonly [from: string, until: string];

/** When a store reminds of saved carts. */
export interface ReminderSettings {
  readonly enabled: boolean;
  /** How long after a cart was saved each reminder comes, in rising order. */
  readonly stepsMs: readonly number[];
  /** Within them nothing is sent; it waits until they are over. */
  readonly quietHours: QuietHours | null;
  /** One address gets one reminder within this time at most. */
  readonly perAddressMs: number;
}

export const defaultReminderSettings: ReminderSettings = {
  enabled: true,
  stepsMs: [hours(1), hours(24), hours(72)],
  quietHours: ['21:00', '08:00'],
  perAddressMs: hours(16),
};

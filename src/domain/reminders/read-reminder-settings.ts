import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { defaultReminderSettings, type ReminderSettings } from './reminder-settings.ts';

/** When the store reminds of saved carts: as it said, or as by default. */
export async function reminderSettings(ctx: Context): Promise<ReminderSettings> {
  const settings = await readOne<ReminderSettings>(
    ctx,
    sql`
    select enabled, steps_ms as "stepsMs", quiet_hours as "quietHours", per_address_ms as "perAddressMs"
    from reminder_settings where tenant_id = ${ctx.tenant.id}`,
  );
  return settings ?? defaultReminderSettings;
}

import { decideReminder as decideJob } from '#jobs/reminders.ts';
import { transact } from '#src/database/transact.ts';
import type { SavedCartInput } from '#src/domain/cart/index.ts';
import type { Context } from '#src/domain/context.ts';
import {
  decideReminder,
  listReminderDecisions,
  type ReminderSettingsInput,
  saveCartAndRemind,
  saveReminderSettings,
} from '#src/domain/reminders/index.ts';
import type { RemindedCart } from '#src/domain/reminders/schedule-reminders.ts';
import { enqueuedJobs } from '../enqueued-jobs.ts';
import { buildProduct } from './catalog.ts';
import { newAddress } from './mail.ts';

/** A store that may remind at any time of the day, after an hour, a day and three days. */
export async function remindAnytime(ctx: Context, given: ReminderSettingsInput = {}): Promise<void> {
  await transact(ctx, (ctx) => saveReminderSettings(ctx, { quiet_hours: null, ...given }));
}

/** A saved cart of one oak bowl with its reminders, for a unique email. */
export async function buildRemindedCart(
  ctx: Context,
  given: Partial<SavedCartInput> = {},
): Promise<RemindedCart & { email: string }> {
  const email = given.email ?? newAddress();
  const items = given.items ?? [{ product_slug: (await buildProduct(ctx)).slug, quantity: 1, unit_price_cents: 100 }];
  return { ...(await saveCartAndRemind(ctx, { ...given, email, items })), email };
}

/** Run every reminder job of the store, due or not, as if it were due at the context's time. */
export async function decideAll(ctx: Context): Promise<void> {
  for (const payload of await enqueuedJobs(ctx, decideJob)) await decideReminder(ctx, payload);
}

/** What was decided of each reminder of an address, the first one first: `sent`, or the state and the reason. */
export async function decisionsOf(ctx: Context, email: string): Promise<string[]> {
  const { rows } = await listReminderDecisions(ctx, { email, limit: 100 });
  return rows.toReversed().map(({ state, reason }) => (reason ? `${state}: ${reason}` : state));
}

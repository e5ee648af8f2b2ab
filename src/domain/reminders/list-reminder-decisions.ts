import { readPage } from '#src/database/read-page.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { mailStates } from '../mail/index.ts';
import { reminderReasons, reminderStates } from './reminder.ts';

/** A reminder with the decision about it. */
export type ReminderDecision = Omit<RowOf<typeof ReminderDecisionView>, 'step'> & { readonly number: number };

/**
 * The reminders with the decision about each and its reason, newest first, optionally of one email address.
 * @throws DomainError `invalid_cursor`
 */
export async function listReminderDecisions(
  ctx: Context,
  { email, ...page }: PageRequest & { email?: string | undefined },
): Promise<Page<ReminderDecision>> {
  const ofEmail = email === undefined ? sql`` : sql` and r.email = ${normaliseEmail(email)}`;
  return readPage<ReminderDecision>(
    ctx,
    { name: 'reminders', columns: ['r.id'], descending: true },
    page,
    (position) => sql`
    select r.id, r.saved_cart_id as "savedCartId", r.email, r.number, r.state, r.reason, r.due_at as "dueAt",
      r.decided_at as "decidedAt", m.state as "mailState", o.order_id as "recoveredOrderId"${position}
    from reminder_steps r
    left join mails m on m.tenant_id = ${ctx.tenant.id} and m.id = r.mail_id
    left join reminder_recoveries o on o.tenant_id = ${ctx.tenant.id} and o.saved_cart_id = r.saved_cart_id
    where r.tenant_id = ${ctx.tenant.id}${ofEmail}`,
  );
}

/** A reminder of a saved cart as the store's owner sees it. */
export const ReminderDecisionView = Type.Object(
  {
    id: Id('rem'),
    saved_cart_id: Id('scart'),
    email: Email,
    /** The number of the reminder, starting at 1. */
    step: Type.Integer({ examples: [1] }),
    state: Type.Enum([...reminderStates]),
    /** Why it was skipped; for a scheduled one, why it was postponed. */
    reason: Nullable(Type.Enum([...reminderReasons])),
    due_at: Timestamp,
    decided_at: Nullable(Timestamp),
    /** The state of the email; null when there was none, or it was deleted by retention. */
    mail_state: Nullable(Type.Enum([...mailStates])),
    /** The order that was paid after the cart was restored. */
    recovered_order_id: Nullable(Id('ord')),
  },
  { title: 'ReminderDecision' },
);

export function presentReminderDecision(decision: ReminderDecision): Static<typeof ReminderDecisionView> {
  return presentAs(ReminderDecisionView, { ...decision, step: decision.number });
}

import { Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { mailStates } from '../mail/index.ts';
import type { ReminderDecision } from './list-reminder-decisions.ts';
import { reminderReasons, reminderStates } from './reminder.ts';

/** A reminder of a saved cart as its owner sees it: what was decided, and why. */
export const ReminderDecisionView = Type.Object(
  {
    id: Id('rem'),
    saved_cart_id: Id('scart'),
    email: Email,
    /** Which of the cart's reminders it is. */
    step: Type.Integer({ examples: [1] }),
    state: Type.Enum([...reminderStates]),
    /** Why it was skipped; of a scheduled one, why it was put off. */
    reason: Nullable(Type.Enum([...reminderReasons])),
    due_at: Timestamp,
    decided_at: Nullable(Timestamp),
    mail_state: Nullable(Type.Enum([...mailStates])),
    recovered_order_id: Nullable(Id('ord')),
  },
  { title: 'ReminderDecision' },
);

export function presentReminderDecision(decision: ReminderDecision): Static<typeof ReminderDecisionView> {
  return {
    id: decision.id,
    saved_cart_id: decision.savedCartId,
    email: decision.email,
    step: decision.number,
    state: decision.state,
    reason: decision.reason,
    due_at: decision.dueAt.toISOString(),
    decided_at: decision.decidedAt?.toISOString() ?? null,
    mail_state: decision.mailState,
    recovered_order_id: decision.recoveredOrderId,
  };
}

import { isDatabaseUnavailable } from '#src/database/is-database-away.ts';
import { isDatabaseBusy } from '#src/database/is-database-busy.ts';
import { days, hours, seconds } from '#src/lib/duration.ts';
import { DomainError, ManualActionRequired, ProviderError, Snooze } from '#src/lib/errors.ts';

/** The four ways in which an attempt can end; a job that this release does not know is returned without one. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'returned' }
  | { readonly kind: 'retry'; readonly reason: string; readonly error: unknown; readonly isLastAttempt: boolean }
  | { readonly kind: 'snooze'; readonly reason: string; readonly milliseconds: number }
  | { readonly kind: 'cancel'; readonly reason: string };

export const cancel = (reason: string): Outcome => ({ kind: 'cancel', reason });
export const snooze = (milliseconds: number, reason: string): Outcome => ({ kind: 'snooze', milliseconds, reason });

/** A job that was tried for this long is no longer postponed: it must complete, or fail where an operator sees it. */
const snoozeForMs = days(2);

/** How long a job waits while PostgreSQL is unavailable. */
export const databaseAwayMs = seconds(3);

/** How long a job waits after PostgreSQL ended its statement. */
const databaseBusyMs = seconds(15);

/** A job whose statements PostgreSQL ended for this long is no longer postponed: they may take too long by themselves. */
const busyForMs = hours(1);

/**
 * The outcome of a job that threw an error. This is the only place that decides it; `jobs/README.md` has it as a table.
 */
export function outcomeOf(
  error: unknown,
  { triedForMs, isLastAttempt }: { triedForMs: number; isLastAttempt: boolean },
): Outcome {
  if (triedForMs < snoozeForMs) {
    if (error instanceof Snooze) return snooze(error.milliseconds, error.message);
    if (error instanceof ProviderError && error.failure === 'busy') {
      return snooze(seconds(error.retryAfterSeconds ?? 5), error.message);
    }
    if (isDatabaseUnavailable(error)) return snooze(databaseAwayMs, 'the database is unavailable');
  }
  if (triedForMs < busyForMs && isDatabaseBusy(error)) return snooze(databaseBusyMs, 'the database is busy');
  if (error instanceof ManualActionRequired) return cancel(error.message);
  if (error instanceof DomainError) return cancel(`${error.code}: ${error.message}`);
  if (error instanceof ProviderError && ['refused', 'denied', 'missing'].includes(error.failure))
    return cancel(error.message);
  return { kind: 'retry', reason: error instanceof Error ? error.message : String(error), error, isLastAttempt };
}

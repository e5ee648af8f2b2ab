import { days, seconds } from '#src/lib/duration.ts';
import { DomainError, ManualActionRequired, ProviderError, Snooze } from '#src/lib/errors.ts';

/** The four ways in which a run can end. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly reason: string; readonly error: unknown }
  | { readonly kind: 'snooze'; readonly reason: string; readonly milliseconds: number }
  | { readonly kind: 'cancel'; readonly reason: string };

export const cancel = (reason: string): Outcome => ({ kind: 'cancel', reason });
export const snooze = (milliseconds: number, reason: string): Outcome => ({ kind: 'snooze', milliseconds, reason });

/** A promise this old is no longer put off: it has to be kept, or to fail where a person sees it. */
const snoozeUntilAgeMs = days(2);

/**
 * What an error means. This is the only place that says so.
 *
 *   Snooze, or a provider that is busy and said until when   snooze   costs no attempt: nobody is wrong
 *   DomainError                                              cancel   trying again would not change it
 *   ManualActionRequired                                              cancel   its message is for that person
 *   ProviderError that refused, denied or knows no such      cancel
 *   anything else                                            retry    by the job's own policy
 */
export function outcomeOf(error: unknown, { ageMs }: { ageMs: number }): Outcome {
  if (ageMs < snoozeUntilAgeMs) {
    if (error instanceof Snooze) return snooze(error.milliseconds, error.message);
    if (error instanceof ProviderError && error.failure === 'busy') {
      return snooze(seconds(error.retryAfterSeconds ?? 5), error.message);
    }
  }
  if (error instanceof ManualActionRequired) return cancel(error.message);
  if (error instanceof DomainError) return cancel(`${error.code}: ${error.message}`);
  if (error instanceof ProviderError && ['refused', 'denied', 'missing'].includes(error.failure))
    return cancel(error.message);
  return { kind: 'retry', reason: error instanceof Error ? error.message : String(error), error };
}

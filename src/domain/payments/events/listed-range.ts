import { days, hours } from '#src/lib/duration.ts';
import type { PaymentEvent } from '../../ports/payment-gateway.ts';

/** The provider lists events for this long. */
export const retainedMs = days(30);

/** The time range of one list of events: short, so that few are added to it between two pages. */
export const firstRangeMs = hours(1);

/** After a range without events the next one is twice as long, up to a day: weeks of silence are few requests. */
export function nextRangeMs(rangeMs: number, events: readonly PaymentEvent[]): number {
  return events.length === 0 ? Math.min(2 * rangeMs, days(1)) : firstRangeMs;
}

import { minutes } from '#src/lib/duration.ts';

/** How long a code is good; and, where it may be used again, how long after its first use. */
export const validMs = minutes(10);

/** So many wrong codes spend a one-time password. */
export const wrongCodesMax = 5;

/** Few codes of few digits leave little to guess: so many a store and hour. */
export const perHourMax = 5;

/** What a code confirms: it opens nothing else. */
export interface Confirmed {
  /** The one-time password's own, and that of what it confirms. */
  readonly id: string;
  /** The kind of action. A shipped purpose is never renamed. */
  readonly purpose: string;
  /** A digest of what exactly is to be done, where the id does not stand for that. */
  readonly boundTo?: string;
}

/** What the code is derived from, beside its id. */
export const codePurpose = ({ purpose, boundTo }: Confirmed): string => (boundTo ? `${purpose}:${boundTo}` : purpose);

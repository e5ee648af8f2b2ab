interface TimeRange {
  /** Null: since ever. */
  readonly starts_at: string | null;
  /** Null: for ever. */
  readonly ends_at: string | null;
}

/** Whether something is in effect at this time, not yet, or no longer. */
export function rangeState({ starts_at, ends_at }: TimeRange, now: number): 'scheduled' | 'active' | 'ended' {
  if (ends_at !== null && Date.parse(ends_at) <= now) return 'ended';
  return starts_at === null || Date.parse(starts_at) <= now ? 'active' : 'scheduled';
}

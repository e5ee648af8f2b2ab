interface Entry {
  readonly type: string;
  readonly published_at: string | null;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
}

/** Whether readers see an entry at this time, or what keeps them from it. */
export function stateOf({ type, published_at, starts_at, ends_at }: Entry, now: number): string {
  if (published_at === null) return 'draft';
  const isPast = (time: string | null) => time !== null && Date.parse(time) <= now;
  // Other entries are shown whatever these times are.
  const isLimited = type === 'announcement';
  if (isLimited && isPast(ends_at)) return 'ended';
  const isShown = isPast(published_at) && (!isLimited || starts_at === null || isPast(starts_at));
  return isShown ? 'published' : 'scheduled';
}

import { rangeState } from '../../lib/range-state.ts';

interface Entry {
  readonly type: string;
  readonly published_at: string | null;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
}

/** Whether readers see an entry at this time, or what keeps them from it. */
export function stateOf(entry: Entry, now: number): string {
  const { type, published_at } = entry;
  if (published_at === null) return 'draft';
  // Other entries are shown whatever these times are.
  const announced = type === 'announcement' ? rangeState(entry, now) : 'active';
  if (announced !== 'active') return announced;
  return rangeState({ starts_at: published_at, ends_at: null }, now) === 'active' ? 'published' : 'scheduled';
}

import { invalidRequest } from '#src/lib/errors.ts';
import { completeImage, type Image } from '../catalog/index.ts';
import type { EntryContent, EntryInput } from './entry-input.ts';

/** An entry with everything said, so that what is saved and what is given can be compared. Times are RFC 3339. */
export interface EntryRecord {
  readonly title: string;
  readonly summary: string | null;
  readonly body: EntryContent;
  readonly tags: readonly string[];
  readonly image: Image | null;
  readonly author: string | null;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly published_at: string | null;
}

/**
 * Say what an input leaves out.
 * @throws DomainError `invalid_request` for a window that ends before it starts
 */
export function completeEntry(input: EntryInput): EntryRecord {
  const record: EntryRecord = {
    title: input.title,
    summary: input.summary ?? null,
    body: input.body ?? { format: 'markdown', value: '' },
    tags: [...new Set(input.tags ?? [])],
    image: input.image ? completeImage(input.image) : null,
    author: input.author ?? null,
    starts_at: timeOf(input.starts_at),
    ends_at: timeOf(input.ends_at),
    published_at: timeOf(input.published_at),
  };
  if (record.starts_at && record.ends_at && record.ends_at <= record.starts_at) {
    throw invalidRequest('The entry ends before it starts.', {
      path: '/ends_at',
      code: 'window',
      detail: 'must be later than starts_at',
    });
  }
  return record;
}

const timeOf = (written: string | null | undefined) => (written ? new Date(written).toISOString() : null);

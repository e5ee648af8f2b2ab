import { invalidRequest } from '#src/lib/errors.ts';
import { Name, Omittable, Slug, type Static, Text, Timestamp, Type } from '#src/lib/schema.ts';
import { completeImage, type Image, ImageInput, Tag } from '../catalog/index.ts';

export const EntryType = Type.String({ pattern: '^[a-z0-9]+([_-][a-z0-9]+)*$', maxLength: 60, examples: ['article'] });

export const EntryContent = Type.Object({
  format: Type.Enum(['markdown', 'html', 'text']),
  value: Type.String({ maxLength: 200_000, examples: ['# Oil'] }),
});
export type EntryContent = Static<typeof EntryContent>;

/** A content entry as the store file and the admin API write it. */
export const EntryInput = Type.Object({
  type: EntryType,
  slug: Slug,
  title: Name(300, { examples: ['How to care for wood'] }),
  summary: Omittable(Text(2000)),
  body: Omittable(EntryContent),
  tags: Omittable(Type.Array(Tag, { maxItems: 50 })),
  image: Omittable(ImageInput),
  author: Omittable(Name(200)),
  /** An announcement is active from `starts_at` until just before `ends_at`, others always. Null is unbounded. */
  starts_at: Omittable(Timestamp),
  ends_at: Omittable(Timestamp),
  /** Published from this time; null is a draft. */
  published_at: Omittable(Timestamp),
});
export type EntryInput = Static<typeof EntryInput>;

/** An entry with all defaults filled in, so that stored and given values can be compared. Times are RFC 3339. */
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
 * Fill in the defaults of an input.
 * @throws DomainError `invalid_request` when it ends before it starts
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

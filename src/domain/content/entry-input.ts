import { Omittable, Slug, type Static, Text, Timestamp, Type } from '#src/lib/schema.ts';
import { ImageInput, Tag } from '../catalog/index.ts';

export const EntryType = Type.String({ pattern: '^[a-z0-9]+([_-][a-z0-9]+)*$', maxLength: 60, examples: ['article'] });

export const EntryContent = Type.Object({
  format: Type.Enum(['markdown', 'html', 'text']),
  value: Type.String({ maxLength: 200_000, examples: ['# Oil'] }),
});
export type EntryContent = Static<typeof EntryContent>;

/** A content entry as the store file and the owner's side write it. */
export const EntryInput = Type.Object({
  type: EntryType,
  slug: Slug,
  title: Text(300, { examples: ['How to care for wood'] }),
  summary: Omittable(Text(2000)),
  body: Omittable(EntryContent),
  tags: Omittable(Type.Array(Tag, { maxItems: 50 })),
  image: Omittable(ImageInput),
  author: Omittable(Text(200)),
  /** The window of an announcement: from `starts_at` until just before `ends_at`; null is unbounded. */
  starts_at: Omittable(Timestamp),
  ends_at: Omittable(Timestamp),
  /** Seen from then on; null is a draft. */
  published_at: Omittable(Timestamp),
});
export type EntryInput = Static<typeof EntryInput>;

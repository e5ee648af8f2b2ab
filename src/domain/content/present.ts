import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Id, Nullable, Slug, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { Tag } from '../catalog/index.ts';
import { EntryContent, EntryType } from './entry-input.ts';

export const EntryBody = Type.Object(
  {
    id: Id('entry'),
    type: EntryType,
    slug: Slug,
    title: Type.String({ examples: ['How to care for wood'] }),
    summary: Nullable(Type.String()),
    body: EntryContent,
    tags: Type.Array(Tag),
    image: Nullable(
      Type.Object({
        url: Type.String(),
        alt: Nullable(Type.String()),
        width: Nullable(Type.Integer()),
        height: Nullable(Type.Integer()),
      }),
    ),
    author: Nullable(Type.String()),
    starts_at: Nullable(Timestamp),
    ends_at: Nullable(Timestamp),
    published_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'ContentEntry' },
);

export type EntryRow = RowOf<typeof EntryBody>;

/** A published entry, in lists and on its own. */
export function presentEntry(entry: EntryRow): Static<typeof EntryBody> {
  return presentAs(EntryBody, entry);
}

import { Nullable, Slug, type Static, Type } from '#src/lib/schema.ts';
import { ProductBody, presentProduct } from '../catalog/index.ts';
import type { SearchResult } from './search-documents.ts';

const SearchResultBody = Type.Object(
  {
    type: Type.Enum(['product', 'content']),
    id: Type.String(),
    slug: Slug,
    title: Type.String(),
    /** The part of the text that contains the query, without highlighting. */
    snippet: Type.String(),
    score: Type.Number({ minimum: 0, maximum: 1 }),
    product: Type.Optional(ProductBody),
    /** The type of a content entry, which is part of its URL. */
    entry_type: Type.Optional(Type.String({ examples: ['article'] })),
  },
  { title: 'SearchResult' },
);

export const SearchBody = Type.Object({
  results: Type.Array(SearchResultBody),
  mode: Type.Enum(['semantic', 'text']),
  degraded: Type.Boolean(),
  cursor: Nullable(Type.String()),
});

export function presentResult(result: SearchResult, currency: string): Static<typeof SearchResultBody> {
  const { kind, id, slug, title, snippet, score, product, entryType } = result;
  return {
    type: kind,
    id,
    slug,
    title,
    snippet,
    score,
    ...(product && { product: presentProduct(product, currency) }),
    ...(entryType !== null && { entry_type: entryType }),
  };
}

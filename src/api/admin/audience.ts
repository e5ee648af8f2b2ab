import { toBearerOrStaff, toStaff } from '#src/api/lib/define-route.ts';
import type { AdminArea, Scope } from '#src/domain/tenants/index.ts';

const limit = 'owner';
const ofManyAreas = 'admin-bulk';

/** What every route has by which a member works on its own session or second factor. */
export const ownSession = { tag: 'admin-session', audience: toStaff, limit: 'staff' } as const;

/** What every route of the owner's side that changes nothing has, in an area of the owner's work. */
export const reading = (area: AdminArea) =>
  ({ tag: `admin-${area}`, limit, audience: toBearerOrStaff(`admin.${area}:read`) }) as const;

/** What every route that changes something in an area has. */
export const writing = (area: AdminArea) =>
  ({ tag: `admin-${area}`, limit, audience: toBearerOrStaff(`admin.${area}:write`) }) as const;

/** What a route has whose request says what it is about: the handler requires the scope of that area. */
export const readingAny = (areas: readonly AdminArea[]) =>
  ({ tag: ofManyAreas, limit, audience: toBearerOrStaff(...scopesIn(areas, 'read')) }) as const;

/** The same for a route that changes something. */
export const writingAny = (areas: readonly AdminArea[]) =>
  ({ tag: ofManyAreas, limit, audience: toBearerOrStaff(...scopesIn(areas, 'write')) }) as const;

function scopesIn(areas: readonly AdminArea[], verb: 'read' | 'write'): [Scope, ...Scope[]] {
  const [first = 'settings', ...others] = new Set(areas);
  return [`admin.${first}:${verb}`, ...others.map((area): Scope => `admin.${area}:${verb}`)];
}

/**
 * What every route has that changes keys or credentials, or reveals them: its callers could give themselves all other
 * permissions. So has what exports or erases everything about a person.
 */
export const owning = {
  tag: 'admin-security',
  limit,
  audience: toBearerOrStaff('admin:write'),
  verified: true,
} as const;

/** What is said of a list that `searchPage` reads. */
export const searched = (rows: string): string =>
  'A page may be shorter than its limit, or empty, while its cursor is not null: where filters leave few of the ' +
  `${rows}, each page is looked for among 1,000 of them.`;

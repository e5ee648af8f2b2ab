import { toBearer } from '#src/api/lib/define-route.ts';

/** What every route of the owner's side that changes nothing has. */
export const reading = { tag: 'admin', audience: toBearer('admin:read'), limit: 'owner' } as const;

/** What every route of the owner's side that changes something has. */
export const writing = { tag: 'admin', audience: toBearer('admin:write'), limit: 'owner' } as const;

import { toBearerOrStaff } from '#src/api/lib/define-route.ts';
import type { AdminArea } from '#src/domain/tenants/index.ts';

const common = { tag: 'admin', limit: 'owner' } as const;

/** What every route of the owner's side that changes nothing has, in an area of the owner's work. */
export const reading = (area: AdminArea) => ({ ...common, audience: toBearerOrStaff(`admin.${area}:read`) }) as const;

/** What every route that changes something in an area has. */
export const writing = (area: AdminArea) => ({ ...common, audience: toBearerOrStaff(`admin.${area}:write`) }) as const;

/** What every route has that changes keys or credentials, or reveals them: whoever may call it could allow itself everything else. */
export const owning = { ...common, audience: toBearerOrStaff('admin:write') } as const;

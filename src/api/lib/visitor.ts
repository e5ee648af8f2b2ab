import type { OpenSession } from '#src/domain/sessions/index.ts';
import type { OpenedKey, Tenant } from '#src/domain/tenants/index.ts';

/** Who sends a request, and to which store. */
export interface Visitor {
  readonly tenant: Tenant;
  readonly key: OpenedKey | undefined;
  readonly session?: OpenSession;
}

/** What a request says of its sender. '' stands for what was not sent. */
export interface Credentials {
  readonly authorization: string;
  readonly slug: string;
  /** The tenant that the request's token names, on a route that asks for one. */
  readonly tenantId?: string | undefined;
}

import { type ClientOptions, createClient, type HttpClient } from './create-client.ts';
import { type AdminOperations, adminOperations } from './generated/admin.ts';

export type AdminOptions = ClientOptions & (WithKey | WithStaffSession);

interface WithKey {
  /**
   * `sk_…`, with the scopes of the areas it is for (`admin.orders:read`, `admin.refunds:write`, …); `admin:read` and
   * `admin:write` cover all areas. It belongs on a server.
   */
  readonly secretKey: string;
}

interface WithStaffSession {
  /** The cookie of a member of staff who is signed in, which a browser sends to the origin of the page. */
  readonly staffSession: true;
}

/** What a store's owner can do: a method for each operation. */
export interface Admin extends AdminOperations {
  readonly http: HttpClient;
}

/** @throws ApiError `invalid_argument` for a URL or a key that cannot be one */
export function createAdmin(options: AdminOptions): Admin {
  const secretKey = 'secretKey' in options ? options.secretKey : undefined;
  return createClient<AdminOperations>(adminOperations, options, () => secretKey);
}

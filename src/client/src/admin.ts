import { type ClientOptions, createClient, type HttpClient } from './create-client.ts';
import { type AdminOperations, adminOperations } from './generated/admin.ts';

export interface AdminOptions extends ClientOptions {
  /**
   * `sk_…`, with the scopes of the areas it is for (`admin.orders:read`, `admin.refunds:write`, …); `admin:read` and
   * `admin:write` cover all areas. It belongs on a server.
   */
  readonly secretKey: string;
}

/** What a store's owner can do: a method for each operation. */
export interface Admin extends AdminOperations {
  readonly http: HttpClient;
}

/** @throws ApiError `invalid_argument` for a URL or a key that cannot be one */
export function createAdmin({ secretKey, ...options }: AdminOptions): Admin {
  return createClient<AdminOperations>(adminOperations, options, () => secretKey);
}

import { type ClientOptions, createClient, type HttpClient } from './create-client.ts';
import { type AdminOperations, adminOperations } from './generated/admin.ts';

export interface AdminOptions extends ClientOptions {
  /** `sk_…`, with the scopes `admin:read` and `admin:write`. It belongs on a server. */
  readonly secretKey: string;
}

/** What a store's owner can do: a method for each operation. */
export interface Admin extends AdminOperations {
  readonly http: HttpClient;
}

export function createAdmin({ secretKey, ...options }: AdminOptions): Admin {
  return createClient<AdminOperations>(adminOperations, options, () => secretKey);
}

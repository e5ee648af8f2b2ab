import { type ClientOptions, createClient, type HttpClient } from './create-client.ts';
import { type StorefrontOperations, storefrontOperations } from './generated/storefront.ts';

export interface StorefrontOptions extends ClientOptions {
  /** The slug of the store. */
  readonly tenant: string;
  /** For pages: `pk_…`. It is sent with what requires a key, such as a checkout. */
  readonly publishableKey?: string | undefined;
  /** In its place on a server: `sk_…`, with all requests. Name the shopper's IP address in the header `x-client-ip`. */
  readonly secretKey?: string | undefined;
}

/** What a shopper can do in a store: a method for each operation. */
export interface Storefront extends StorefrontOperations {
  readonly http: HttpClient;
  /** The host of the service and the slug of the store. */
  readonly id: string;
}

/** @throws ApiError `invalid_argument` for a URL or a key that cannot be one */
export function createStorefront({ tenant, publishableKey, secretKey, ...options }: StorefrontOptions): Storefront {
  const headers = { 'x-tenant-slug': tenant, ...options.headers };
  const client = createClient<StorefrontOperations>(
    storefrontOperations,
    { ...options, headers },
    (operation) => secretKey ?? (operation?.needs && publishableKey),
  );
  return { ...client, id: `${new URL(options.baseUrl).host}/${tenant}` };
}

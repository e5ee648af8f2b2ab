import { ApiError } from './api-error.ts';
import { findOperation, setUnlessGiven } from './create-client.ts';
import type { Customer, Session } from './generated/api.ts';
import { storefrontOperations } from './generated/storefront.ts';
import type { Body, RequestOptions } from './operation.ts';
import type { Storefront } from './storefront.ts';

/** Where the session of one shopper is kept: `localStorage`, or a cookie of one request on a server. */
export interface SessionStore {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** The session of a customer. */
export interface CustomerSession {
  /** Signs in with the token of an emailed link. It works once. */
  signIn(link: Body<'consumeMagicLink'>, options?: RequestOptions): Promise<Customer>;
  /** Ends the session, here and at the service. */
  signOut(options?: RequestOptions): Promise<void>;
  /** @returns the customer as of the last sign-in or refresh, without a request */
  customer(): Promise<Customer | undefined>;
}

interface StoredSession {
  readonly token: string;
  readonly refreshToken: string | null;
  /** By the clock of this machine. */
  readonly expiresAt: number;
  readonly customer: Customer;
}

const marginMs = 60_000;

/**
 * Lets the methods of this storefront that need a signed-in customer send the session, which is refreshed before it
 * expires, once for all that wait for it. On a server, create both for each request: a session belongs to one shopper.
 */
export function createSession(
  storefront: Storefront,
  store: SessionStore,
  { storageKey = 'storefront-session' }: { storageKey?: string } = {},
): CustomerSession {
  const needsSession = (request: Request, path: string) =>
    findOperation(storefrontOperations, request, path)?.needs === 'session';
  let refreshing: Promise<string | undefined> | undefined;

  storefront.http.use({
    async onRequest({ request, schemaPath }) {
      if (!needsSession(request, schemaPath)) return;
      const token = await findToken();
      if (token !== undefined) setUnlessGiven(request, 'authorization', `Bearer ${token}`);
    },
    async onResponse({ request, response, schemaPath }) {
      if (response.status === 401 && needsSession(request, schemaPath)) await store.removeItem(storageKey);
    },
  });

  async function read(): Promise<StoredSession | undefined> {
    return JSON.parse((await store.getItem(storageKey)) ?? 'null') ?? undefined;
  }

  async function write(session: Session): Promise<string> {
    const { session_token: token, expires_in: seconds, refresh_token: refreshToken, customer } = session;
    const stored: StoredSession = { token, refreshToken, expiresAt: Date.now() + seconds * 1000, customer };
    await store.setItem(storageKey, JSON.stringify(stored));
    return token;
  }

  async function findToken(): Promise<string | undefined> {
    const session = await read();
    if (!session || session.expiresAt - Date.now() > marginMs) return session?.token;
    refreshing ??= refresh(session).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refresh({ refreshToken, token, expiresAt }: StoredSession): Promise<string | undefined> {
    try {
      return await write(await storefront.refreshSession({ refresh_token: refreshToken }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) await store.removeItem(storageKey);
      else if (expiresAt > Date.now()) return token;
      else throw error;
    }
  }

  return {
    async signIn(link, options) {
      const session = await storefront.consumeMagicLink(link, options);
      await write(session);
      return session.customer;
    },
    async signOut(options) {
      try {
        await storefront.signOut(options);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      } finally {
        await store.removeItem(storageKey);
      }
    },
    customer: async () => (await read())?.customer,
  };
}

import { ApiError } from './api-error.ts';
import { findOperation, setUnlessGiven } from './create-client.ts';
import type { Customer, Session } from './generated/api.ts';
import { storefrontOperations } from './generated/storefront.ts';
import type { Body, RequestOptions } from './operation.ts';
import { waitFor } from './retry.ts';
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

interface StoredSession extends Session {
  /** By the clock of this machine. */
  readonly expiresAt: number;
}

const marginMs = 60_000;

/**
 * Lets the methods of this storefront that need a signed-in customer send the session, which is refreshed before it
 * expires, once for all that wait for it. On a server, create both for each request: a session belongs to one shopper.
 * A session that the store does not keep lasts as long as the page, and one that it cannot read counts as none.
 * @param store in browsers `() => localStorage`, because those that block it throw where it is read
 * @param options.storageKey its name in the store, by default one for each host and store
 */
export function createSession(
  storefront: Storefront,
  store: SessionStore | (() => SessionStore),
  { storageKey = `storefront-session:${storefront.id}` }: { storageKey?: string } = {},
): CustomerSession {
  const needsSession = (request: Request, path: string) =>
    findOperation(storefrontOperations, request, path)?.needs === 'session';
  let refreshing: Promise<string | undefined> | undefined;
  /** What the store has not kept; null is the end of a session. */
  let unsaved: StoredSession | null | undefined;
  const openStore = () => (typeof store === 'function' ? store() : store);

  storefront.http.use({
    async onRequest({ request, schemaPath }) {
      if (!needsSession(request, schemaPath)) return;
      const token = await waitFor(findToken(), request.signal);
      if (token !== undefined) setUnlessGiven(request, 'authorization', `Bearer ${token}`);
    },
    async onResponse({ request, response, schemaPath }) {
      if (response.status !== 401 || !needsSession(request, schemaPath)) return;
      const session = await read();
      // The customer may have signed in again since.
      if (request.headers.get('authorization') === `Bearer ${session?.session_token}`) await write(null);
    },
  });

  async function read(): Promise<StoredSession | null> {
    if (unsaved !== undefined) return unsaved;
    try {
      const session = JSON.parse((await openStore().getItem(storageKey)) ?? 'null');
      return session?.session_token ? session : null;
    } catch {
      return null;
    }
  }

  async function write(session: StoredSession | null): Promise<void> {
    unsaved = undefined;
    try {
      const store = openStore();
      await (session ? store.setItem(storageKey, JSON.stringify(session)) : store.removeItem(storageKey));
    } catch {
      unsaved = session;
    }
  }

  async function findToken(): Promise<string | undefined> {
    const session = await read();
    if (!session || session.expiresAt - Date.now() > marginMs) return session?.session_token;
    refreshing ??= refresh(session).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refresh({ session_token, refresh_token, expiresAt }: StoredSession): Promise<string | undefined> {
    const session = await storefront.refreshSession({ refresh_token }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      if (error instanceof ApiError && expiresAt > Date.now()) return undefined;
      throw error;
    });
    if (session === undefined) return session_token;
    // The customer, or another tab, may have replaced the session meanwhile.
    if ((await read())?.session_token === session_token) await write(session && toStored(session));
    return (await read())?.session_token;
  }

  return {
    async signIn(link, options) {
      const session = await storefront.consumeMagicLink(link, options);
      await write(toStored(session));
      return session.customer;
    },
    async signOut(options) {
      try {
        await storefront.signOut(options);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      } finally {
        await write(null);
      }
    },
    customer: async () => (await read())?.customer,
  };
}

const toStored = (session: Session): StoredSession => ({
  ...session,
  expiresAt: Date.now() + session.expires_in * 1000,
});

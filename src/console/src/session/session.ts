import { ApiError, type SignedIn } from '@storefront-commerce/client';
import { usePermissions } from 'react-admin';

import { directAdmin } from '../admin.ts';
import { findStoreOfPage, setStoreOfPage, storeHeader, storeOfUrl } from './store.ts';

let current: Promise<SignedIn> | undefined;

/** The session of this browser. It is fetched once, and again after `refreshSession`. */
export function readSession(): Promise<SignedIn> {
  current ??= fetchSession().catch((error: unknown) => {
    current = undefined;
    throw error;
  });
  return current;
}

/** Whether a session was found, so that there is one to end. */
export const isSessionRead = (): boolean => current !== undefined;

export async function endSession(): Promise<void> {
  await directAdmin.signOut().catch((error: unknown) => {
    if (!isSignedOut(error)) throw error;
  });
  current = undefined;
  setStoreOfPage(undefined);
}

/** The session as it is now. Where there is none, the page keeps the one that it had, and so what was entered in it. */
export async function refreshSession(): Promise<SignedIn> {
  const session = await fetchSession();
  current = Promise.resolve(session);
  return session;
}

async function fetchSession(): Promise<SignedIn> {
  const store = findStoreOfPage();
  const session = await directAdmin.getSession(store ? { headers: { [storeHeader]: store } } : {});
  const { slug } = session.store;
  if (!store) {
    if (slug !== (storeOfUrl() ?? slug)) throw new Error('This browser is signed in to another store.');
    setStoreOfPage(slug);
  }
  return session;
}

/** Who is signed in, at which store; undefined until it is known. */
export function useSession(): SignedIn | undefined {
  return usePermissions<SignedIn>().permissions;
}

/** The currency of the store. */
export const useCurrency = (): string => useSession()?.store.currency ?? 'USD';

/** Whether a session has one of some scopes. */
export const hasAnyScope = (session: Pick<SignedIn, 'scopes'>, scopes: readonly string[]): boolean =>
  scopes.some((scope) => hasScope(session, scope));

/** Whether a session has a scope: `write` includes `read`, and `admin` every area. */
export function hasScope({ scopes }: Pick<SignedIn, 'scopes'>, scope: string): boolean {
  const [area = '', access = ''] = scope.split(':');
  const sufficient = [area, 'admin'].flatMap((name) => [`${name}:${access}`, `${name}:write`]);
  return scopes.some((granted) => sufficient.includes(granted));
}

/** Whether the session of this browser has a scope, if one is required. The API checks it again. */
export function useScope(scope: string | undefined): boolean {
  const session = useSession();
  return session !== undefined && (scope === undefined || hasScope(session, scope));
}

const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

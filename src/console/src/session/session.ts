import { ApiError, type SignedIn } from '@storefront-commerce/client';
import { usePermissions } from 'react-admin';

import { directAdmin } from '../admin.ts';
import { findStoreOfPage, setStoreOfPage, storeOfUrl } from './store.ts';

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

export function refreshSession(): Promise<SignedIn> {
  current = undefined;
  return readSession();
}

async function fetchSession(): Promise<SignedIn> {
  const session = await directAdmin.getSession();
  const { slug } = session.store;
  if (!findStoreOfPage()) {
    if (slug !== (storeOfUrl() ?? slug)) throw new Error('This browser is signed in to another store.');
    setStoreOfPage(slug);
  }
  return session;
}

/** Who is signed in, at which store; undefined until it is known. */
export function useSession(): SignedIn | undefined {
  return usePermissions<SignedIn>().permissions;
}

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

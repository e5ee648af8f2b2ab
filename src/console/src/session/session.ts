import { ApiError, type SignedIn } from '@storefront-commerce/client';
import { usePermissions } from 'react-admin';

import { directAdmin } from '../admin.ts';
import { findStoreOfPage, setStoreOfPage } from './store.ts';

let current: Promise<SignedIn> | undefined;

/** The session of this browser. It is fetched once, and again after `refreshSession`. */
export function readSession(): Promise<SignedIn> {
  current ??= fetchSession().catch((error: unknown) => {
    current = undefined;
    throw error;
  });
  return current;
}

export function refreshSession(): Promise<SignedIn> {
  current = undefined;
  return readSession();
}

async function fetchSession(): Promise<SignedIn> {
  const session = await directAdmin.getSession();
  if (!findStoreOfPage()) setStoreOfPage(session.store.slug);
  return session;
}

/** Who is signed in, at which store; undefined until it is known. */
export function useSession(): SignedIn | undefined {
  return usePermissions<SignedIn>().permissions;
}

/** Whether a session has a scope: `write` includes `read`, and `admin` every area. */
export function hasScope({ scopes }: Pick<SignedIn, 'scopes'>, scope: string): boolean {
  const [area = '', access = ''] = scope.split(':');
  const sufficient = [area, 'admin'].flatMap((name) => [`${name}:${access}`, `${name}:write`]);
  return scopes.some((granted) => sufficient.includes(granted));
}

/** Whether the session of this browser has a scope. The API checks it again. */
export function useScope(scope: string): boolean {
  const session = useSession();
  return session !== undefined && hasScope(session, scope);
}

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

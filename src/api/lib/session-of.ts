import { invalidSession, type OpenSession } from '#src/domain/sessions/index.ts';
import type { Caller } from './define-route.ts';

/** The session of whoever called a route for customers. Where another token opened the route, there may be none. */
export function sessionOf({ session }: Caller): OpenSession {
  if (!session) throw invalidSession();
  return session;
}

import { hasScope, useSession } from '../../session/session.ts';

/** Those of these kinds whose scope the session has. */
export function useKinds(scopes: Readonly<Record<string, string>>): string[] {
  const session = useSession();
  return Object.entries(scopes).flatMap(([kind, scope]) => (session && hasScope(session, scope) ? [kind] : []));
}

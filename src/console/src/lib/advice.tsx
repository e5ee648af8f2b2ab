import { hasScope, useSession } from '../session/session.ts';

interface Props {
  readonly next: string | null | undefined;
  /** The areas of which a member needs `write` to do all of it. */
  readonly areas: readonly string[];
}

/** What to do, and whom to ask where the role does not allow it. */
export function Advice({ next, areas }: Props) {
  const session = useSession();
  const isAllowed = session && areas.every((area) => hasScope(session, `admin.${area}:write`));
  return isAllowed ? next : `${next} For what your role does not allow, ask a manager of the store.`;
}

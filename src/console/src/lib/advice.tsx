import { hasScope, useSession } from '../session/session.ts';

interface Props {
  readonly next: string | null | undefined;
  /** The areas of which a member needs `write` to do all of it. */
  readonly areas: readonly string[];
}

/** What to do, and whom to ask where the role does not allow it. */
export function Advice({ next, areas }: Props) {
  const session = useSession();
  const allowed = areas.filter((area) => session && hasScope(session, `admin.${area}:write`));
  if (!session || allowed.length === areas.length) return next;
  const allows = allowed.length > 0 ? 'only a part of this' : 'none of this';
  return `${next} Your role allows ${allows}: ask a manager of the store.`;
}

import type { Context } from '#src/domain/context.ts';
import type { StaffSession } from '#src/domain/staff/index.ts';

type Where = Context['settings'];

/**
 * The cookie of a staff session. `__Host-`: browsers accept it only from this host, over TLS and for all paths, so that
 * no other site of the domain can set it.
 */
export const staffCookieName = ({ localMode }: Pick<Where, 'localMode'>): string =>
  localMode ? 'staff_session' : '__Host-staff_session';

/** The `Set-Cookie` header that begins a session, hidden from scripts and from requests of other sites. */
export function staffCookie(settings: Where, token: string, { expiresAt }: Pick<StaffSession, 'expiresAt'>): string {
  return [`${staffCookieName(settings)}=${token}`, `Expires=${expiresAt.toUTCString()}`, ...attributes(settings)].join(
    '; ',
  );
}

/** The `Set-Cookie` header that makes the browser delete it. */
export function clearedStaffCookie(settings: Where): string {
  return [`${staffCookieName(settings)}=`, 'Max-Age=0', ...attributes(settings)].join('; ');
}

/** Local pages are served without TLS. */
const attributes = ({ localMode }: Where): string[] => [
  'Path=/',
  'HttpOnly',
  'SameSite=Strict',
  ...(localMode ? [] : ['Secure']),
];

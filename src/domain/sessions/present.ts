import { Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { CustomerView, presentCustomer } from '../customers/index.ts';
import type { GrantedSession } from './session.ts';

/** What signing in and refreshing answer: api.md, "customer". */
export const SessionView = Type.Object(
  {
    session_token: Type.String({ examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiJzZXNfIn0.c2ln'] }),
    token_type: Type.Literal('Bearer'),
    /** Seconds. */
    expires_in: Type.Integer({ examples: [900] }),
    expires_at: Timestamp,
    /** To be kept instead of the one that was sent; null where none was sent. */
    refresh_token: Nullable(Type.String()),
    refresh_expires_at: Timestamp,
    customer: CustomerView,
  },
  { title: 'Session' },
);

export function presentSession(session: GrantedSession): Static<typeof SessionView> {
  return {
    session_token: session.token,
    token_type: 'Bearer',
    expires_in: session.expiresInSeconds,
    expires_at: session.expiresAt.toISOString(),
    refresh_token: session.refreshToken,
    refresh_expires_at: session.refreshExpiresAt.toISOString(),
    customer: presentCustomer(session.customer),
  };
}

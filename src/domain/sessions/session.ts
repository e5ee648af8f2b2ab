import { days } from '#src/lib/duration.ts';
import type { Customer } from '../customers/index.ts';
import type { SignedToken } from './session-token.ts';

/** Somebody who is signed in, as the session's own row says now. */
export interface OpenSession {
  readonly id: string;
  readonly customer: Pick<Customer, 'id' | 'email' | 'name'>;
  /** Until then it can be refreshed. */
  readonly refreshExpiresAt: Date;
}

/** What a storefront is given to keep a shopper signed in. */
export interface GrantedSession extends OpenSession, SignedToken {
  /** Null where only the token was renewed. */
  readonly refreshToken: string | null;
}

/** How long a session can be refreshed, since it last was. */
export const refreshLifeMs = days(30);

/** What refresh tokens are derived for: the first from the id of its session, each further one from the one before. */
export const refreshPurpose = 'session.refresh';

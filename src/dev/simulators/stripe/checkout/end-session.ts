import type { Account } from '../account.ts';
import { cancelIntent } from '../billing/move-money.ts';
import type { Session } from '../objects/session.ts';

/** Close an open session for good: nobody can pay it any more. */
export function expireSession(account: Account, session: Session): Session {
  account.openSessions.delete(session);
  const intent = session.payment_intent === null ? undefined : account.paymentIntents.get(session.payment_intent);
  if (intent) cancelIntent(account, intent);
  return account.change(session, { status: 'expired', url: null }, 'checkout.session.expired');
}

/** Expire every open session whose time is over. */
export function expireDueSessions(account: Account): void {
  for (const session of account.openSessions) expireIfDue(account, session);
}

/** The session as it is at this moment. */
export function expireIfDue(account: Account, session: Session): Session {
  const due = session.status === 'open' && session.expires_at <= account.now;
  return due ? expireSession(account, session) : session;
}

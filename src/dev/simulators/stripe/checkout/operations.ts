import { invalid } from '../api/error.ts';
import { list, type Operation, operation } from '../api/operation.ts';
import type { Session } from '../state/objects.ts';
import type { SessionParams } from '../state/session-params.ts';
import { checkSession } from './check-session.ts';
import { createSession } from './create-session.ts';
import { expireDueSessions, expireIfDue, expireSession } from './end-session.ts';

export const checkoutSessions: readonly Operation[] = [
  operation<SessionParams>(
    'POST /v1/checkout/sessions',
    ({ account, params }) => createSession(account, params),
    ({ account, params }) => checkSession(account, params),
  ),
  operation('GET /v1/checkout/sessions/{id}', ({ account, id }) => expireIfDue(account, account.sessions.need(id))),
  operation('POST /v1/checkout/sessions/{id}/expire', ({ account, id }) => {
    const session = expireIfDue(account, account.sessions.need(id));
    if (session.status !== 'open') {
      throw invalid(
        'Only Checkout Sessions with a status in ["open"] can be expired. ' +
          `This Checkout Session has a status of \`${session.status}\`.`,
      );
    }
    return expireSession(account, session);
  }),
  list<Session>(
    'GET /v1/checkout/sessions',
    (account) => {
      expireDueSessions(account);
      return account.sessions;
    },
    { customer_details: ({ customer_details: details }, wanted) => details?.email === Object(wanted).email },
  ),
];

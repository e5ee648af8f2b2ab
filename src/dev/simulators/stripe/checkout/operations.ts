import { changedMetadata } from '../api/check-metadata.ts';
import { invalid } from '../api/error.ts';
import { list, type Operation, operation } from '../api/operation.ts';
import { listObject, type MetadataChange, type Session } from '../state/objects.ts';
import type { SessionParams } from '../state/session-params.ts';
import { type PageParams, pageOf } from '../state/table.ts';
import { checkSession } from './check-session.ts';
import { createSession } from './create-session.ts';
import { expireDueSessions, expireIfDue, expireSession } from './end-session.ts';

interface UpdateParams {
  readonly metadata?: MetadataChange | null;
  readonly collected_information?: object;
  readonly line_items?: object;
  readonly payment_intent_data?: object;
  readonly shipping_options?: object;
}

export const checkoutSessions: readonly Operation[] = [
  operation<SessionParams>(
    'POST /v1/checkout/sessions',
    ({ account, params }) => createSession(account, params),
    ({ account, params }) => checkSession(account, params),
  ),
  operation('GET /v1/checkout/sessions/{id}', ({ account, id }) => expireIfDue(account, account.sessions.need(id))),
  operation<UpdateParams>('POST /v1/checkout/sessions/{id}', ({ account, id, params }) => {
    const session = account.sessions.need(id);
    const foreign = (['collected_information', 'line_items', 'shipping_options'] as const).find((name) => params[name]);
    if (foreign) throw invalid(`You can not update \`${foreign}\` with \`ui_mode: hosted_page\`.`, foreign);
    if (params.payment_intent_data) {
      throw invalid('The simulator does not update `payment_intent_data`.', 'payment_intent_data');
    }
    session.metadata = changedMetadata(session.metadata, params.metadata);
    return session;
  }),
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
  operation<PageParams>('GET /v1/checkout/sessions/{id}/line_items', ({ account, id, params }) => {
    const session = account.sessions.need(id);
    const lines = account.carts.get(session.id)?.lines ?? [];
    return listObject(`/v1/checkout/sessions/${id}/line_items`, pageOf(lines, params));
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

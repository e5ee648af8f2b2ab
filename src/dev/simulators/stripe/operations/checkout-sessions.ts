import { checkSession } from '../checkout/check-session.ts';
import { createSession } from '../checkout/create-session.ts';
import { expireDueSessions, expireIfDue, expireSession } from '../checkout/end-session.ts';
import type { Session } from '../objects/session.ts';
import type { SessionParams } from '../objects/session-params.ts';
import { listObject } from '../objects/stripe-object.ts';
import { changedMetadata, type MetadataChange } from '../wire/check-metadata.ts';
import { list, type Operation, operation } from '../wire/operation.ts';
import { invalid } from '../wire/refusal.ts';
import { type PageParams, pageOf } from '../wire/table.ts';

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

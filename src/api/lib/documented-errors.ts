import { type Audience, needsOpenStore, type Route } from './define-route.ts';
import { type ErrorCode, errorCodes } from './error-codes.ts';
import { limitOf } from './limits.ts';

/** Every error code of a route, by status: those that follow from its fields, and those of its handler. */
export function documentedErrors(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...errorsOf[route.audience.kind],
    ...(route.audience.kind === 'bearer' && route.audience.staff ? session : []),
    ...(route.audience.kind === 'inbound' ? [] : (['origin_not_allowed'] as const)),
    ...(route.verified ? (['second_factor_required'] as const) : []),
    ...limitErrors(route),
    ...bodyErrors(route),
    ...(route.query ? (['invalid_request'] as const) : []),
    ...(route.query && 'cursor' in route.query.properties ? (['invalid_cursor'] as const) : []),
    ...(route.params && route.audience.kind !== 'inbound' ? (['not_found'] as const) : []),
    ...(needsOpenStore(route) ? (['store_closed'] as const) : []),
    ...(route.module ? (['module_disabled'] as const) : []),
    ...(route.idempotent ? (['invalid_request'] as const) : []),
    ...(route.idempotent && route.idempotent !== 'received' ? (['idempotency_in_progress'] as const) : []),
    ...(route.idempotent && (route.body || route.streamed) ? (['idempotency_key_reused'] as const) : []),
    ...(route.errors ?? []),
    ...errorsOfAll,
  ]);
  return [...codes].toSorted((left, right) => errorCodes[left].status - errorCodes[right].status);
}

/** Every route can return them. */
export const errorsOfAll: readonly ErrorCode[] = ['internal_error', 'service_unavailable'];

const errorsOfSession: readonly ErrorCode[] = ['invalid_session', 'expired_session', 'origin_not_allowed'];

/** Every route can return them that calls the payment provider. */
export const errorsOfPayments = [
  'payment_provider_error',
  'payment_provider_not_configured',
  'payment_provider_unavailable',
] as const satisfies readonly ErrorCode[];

/** Every route can return them that accepts an API key, or the session of a customer or of staff. */
export const errorsOfCredential: Readonly<Record<'key' | 'session' | 'staffSession', readonly ErrorCode[]>> = {
  key: [
    'missing_key',
    'invalid_key',
    'revoked_key',
    'expired_key',
    'wrong_environment',
    'insufficient_scope',
    'origin_not_allowed',
  ],
  session: errorsOfSession,
  staffSession: errorsOfSession,
};

const header: readonly ErrorCode[] = ['missing_tenant', 'unknown_tenant'];
const { key, session } = errorsOfCredential;
/** Where two things may name the store, they may name different ones. */
const either: readonly ErrorCode[] = ['invalid_request', ...header, ...key];

const errorsOf: Readonly<Record<Audience['kind'], readonly ErrorCode[]>> = {
  public: header,
  dual: either,
  bearer: key,
  token: either,
  session,
  staff: session,
  inbound: ['unknown_tenant'],
};

function limitErrors({ limit, guesses }: Route): readonly ErrorCode[] {
  return guesses || (limit && !limitOf(limit).perStore) ? ['rate_limited'] : [];
}

function bodyErrors({ body, rawBody, streamed }: Route): readonly ErrorCode[] {
  if (streamed) return ['invalid_request', 'payload_too_large', 'unsupported_media_type'];
  if (rawBody) return ['invalid_request', 'payload_too_large'];
  return body ? ['invalid_request', 'invalid_json', 'payload_too_large', 'unsupported_media_type'] : [];
}

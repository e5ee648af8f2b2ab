import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'koa';
import Type, { type Static } from 'typebox';

export const faultKinds = [
  'status',
  'reset_before',
  'reset_after',
  'hang',
  'delay',
  'unknown_enum',
  'transaction_error',
  'no_rates',
  'queued',
  'unlisted',
] as const;

const optional = Type.Optional;

/** A fault, and which requests meet it: one, unless `times` says otherwise. */
export const Fault = Type.Object(
  {
    match: Type.String({ minLength: 1 }),
    kind: Type.Enum([...faultKinds]),
    account: optional(Type.String()),
    /** The response status of kind `status`; the default is 500. */
    status: optional(Type.Integer({ minimum: 200, maximum: 599 })),
    /** Perform the request's side effect first, with the kinds `status`, `hang` and `delay`. */
    after: optional(Type.Boolean()),
    /** Sent as `Retry-After`. */
    retry_after: optional(Type.Number({ minimum: 0 })),
    /** How long kind `delay` waits. */
    ms: optional(Type.Number({ minimum: 0 })),
    times: optional(Type.Integer({ minimum: 1 })),
    probability: optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** Code and text of the response or its messages. */
    code: optional(Type.String()),
    text: optional(Type.String()),
  },
  { additionalProperties: false },
);
export type Fault = Static<typeof Fault>;

const unknownStatus = 'SOMETHING_NEW';

/** True when the fault comes before the side effect of the request, false when after. */
export function isBeforeEffect({ kind, after }: Fault): boolean {
  if (kind === 'reset_before') return true;
  return (kind === 'status' || kind === 'hang' || kind === 'delay') && after !== true;
}

/** Apply the fault to the connection; `responded` means that there is no further response. */
export async function applyFault(
  ctx: Pick<Context, 'req' | 'respond' | 'status' | 'body' | 'set'>,
  fault: Fault,
): Promise<'responded' | 'continue'> {
  switch (fault.kind) {
    case 'status':
      ctx.status = fault.status ?? 500;
      if (fault.retry_after !== undefined) ctx.set('Retry-After', String(fault.retry_after));
      ctx.body = { detail: fault.text ?? 'Simulated fault.', ...(fault.code && { code: fault.code }) };
      return 'responded';
    case 'reset_before':
    case 'reset_after':
      ctx.respond = false;
      ctx.req.socket.resetAndDestroy();
      return 'responded';
    case 'hang':
      ctx.respond = false;
      return 'responded';
    case 'delay':
      await wait(fault.ms ?? 1000, undefined, { ref: false });
      return 'continue';
    default:
      return 'continue';
  }
}

/**
 * The same response with a status that the SDK's enum does not have, as the live API has been seen to
 * send. For a purchased label it is the tracking status, so that the purchase itself can be read.
 */
export function withUnknownStatus(body: unknown): unknown {
  if (!isRecord(body)) return body;
  if (Array.isArray(body.results)) return { ...body, results: body.results.map(withUnknownStatus) };
  if (isRecord(body.tracking_status)) {
    return { ...body, tracking_status: { ...body.tracking_status, status: unknownStatus } };
  }
  if (typeof body.tracking_status === 'string') return { ...body, tracking_status: unknownStatus };
  return { ...body, status: unknownStatus };
}

/** A list that lags behind. */
export function withoutResults(body: unknown): unknown {
  return isRecord(body) && Array.isArray(body.results) ? { ...body, results: [] } : body;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

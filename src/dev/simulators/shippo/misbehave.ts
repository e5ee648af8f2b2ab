import { setTimeout as wait } from 'node:timers/promises';

import type { Context } from 'koa';

import type { Fault } from './faults.ts';

const strangeWord = 'SOMETHING_NEW';

/** True when the request is spoiled before its side effect, false when after. */
export function misbehavesEarly({ kind, after }: Fault): boolean {
  if (kind === 'reset_before') return true;
  return (kind === 'status' || kind === 'hang' || kind === 'delay') && after !== true;
}

/** Do what the fault says to the connection; `answered` means that nothing more is to be said. */
export async function misbehave(
  ctx: Pick<Context, 'req' | 'respond' | 'status' | 'body' | 'set'>,
  fault: Fault,
): Promise<'answered' | 'go on'> {
  switch (fault.kind) {
    case 'status':
      ctx.status = fault.status ?? 500;
      if (fault.retry_after !== undefined) ctx.set('Retry-After', String(fault.retry_after));
      ctx.body = { detail: fault.text ?? 'Simulated fault.', ...(fault.code && { code: fault.code }) };
      return 'answered';
    case 'reset_before':
    case 'reset_after':
      ctx.respond = false;
      ctx.req.socket.resetAndDestroy();
      return 'answered';
    case 'hang':
      ctx.respond = false;
      return 'answered';
    case 'delay':
      await wait(fault.ms ?? 1000, undefined, { ref: false });
      return 'go on';
    default:
      return 'go on';
  }
}

/**
 * The same answer with a status that the SDK's closed list does not know, as the live API has been
 * seen to send. For a label that was bought it is the tracking status, so that the purchase itself shows.
 */
export function strayFromEnum(body: unknown): unknown {
  if (!isRecord(body)) return body;
  if (Array.isArray(body.results)) return { ...body, results: body.results.map(strayFromEnum) };
  if (isRecord(body.tracking_status)) {
    return { ...body, tracking_status: { ...body.tracking_status, status: strangeWord } };
  }
  if (typeof body.tracking_status === 'string') return { ...body, tracking_status: strangeWord };
  return { ...body, status: strangeWord };
}

/** A list that does not show yet what there is. */
export function withoutResults(body: unknown): unknown {
  return isRecord(body) && Array.isArray(body.results) ? { ...body, results: [] } : body;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

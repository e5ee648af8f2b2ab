import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'koa';

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

/** One fault, and which requests it affects. */
export interface Fault {
  /** Method and path, with `*` as a wildcard: `POST /transactions`, `GET /tracks/*`, `*`. */
  match: string;
  kind: (typeof faultKinds)[number];
  /** Only for the account of this token. */
  account?: string;
  /** The response status (kind `status`; the default is 500). */
  status?: number;
  /** Perform the request's side effect first (kinds `status`, `hang` and `delay`). */
  after?: boolean;
  /** Sent as `Retry-After`. */
  retry_after?: number;
  /** How long to wait (kind `delay`). */
  ms?: number;
  /** How many requests it affects; the default is one. */
  times?: number;
  /** The probability that it applies, from 0 to 1; the default is always. */
  probability?: number;
  /** Code and text of the response or its messages. */
  code?: string;
  text?: string;
}

export interface FaultList {
  add(fault: Fault): void;
  clear(): void;
  /** The fault that applies to this request, which counts as one use. */
  take(request: { method: string; path: string; account: string }): Fault | undefined;
}

export function createFaultList(random: () => number): FaultList {
  let faults: { fault: Fault; matches: (line: string) => boolean; left: number }[] = [];
  return {
    add(fault) {
      faults.push({ fault, matches: lineMatcher(fault.match), left: fault.times ?? 1 });
    },
    clear() {
      faults = [];
    },
    take({ method, path, account }) {
      const line = `${method} ${path}`;
      const match = faults.find(
        ({ fault, matches }) =>
          matches(line) &&
          (fault.account === undefined || fault.account === account) &&
          (fault.probability === undefined || random() < fault.probability),
      );
      if (!match) return undefined;
      match.left -= 1;
      if (match.left <= 0) faults = faults.filter((one) => one !== match);
      return match.fault;
    },
  };
}

/** Returns a function that matches `METHOD /path` with a pattern with `*` wildcards; a trailing slash never matters. */
export function lineMatcher(pattern: string): (line: string) => boolean {
  const source = pattern
    .replace(/\/+$/, '')
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const expression = new RegExp(`^${source}/*$`, 'i');
  return (line) => expression.test(line);
}

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

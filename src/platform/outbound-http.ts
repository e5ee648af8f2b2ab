import { Agent, errors, request } from 'undici';

import type { HttpFailure, HttpOutcome, OutboundHttp } from '#src/domain/ports/outbound-http.ts';
import { seconds } from '#src/lib/duration.ts';
import { causesOf, codeOf } from '#src/lib/errors.ts';
import { inCall } from '#src/lib/tracing.ts';
import { pinnedConnector } from './pinned-connector.ts';
import {
  allowLoopback,
  BlockedAddress,
  checkUrl,
  type IpRule,
  isPublicIp,
  notPublic,
  resolveName,
} from './public-ip.ts';

const connectTimeoutMs = seconds(5);
const totalTimeoutMs = seconds(15);
/** So much of a reply is read, that the connection can be used again; a longer one costs its connection. */
const replyReadMax = 16 * 1024;
const replyStoredMax = 4 * 1024;
const replyHeadersMax = 16 * 1024;

export interface OutboundHttpOptions {
  /** Allows http and loopback URLs; nothing else does. */
  readonly localMode: boolean;
  /** Resolves host names; tests replace it. */
  readonly resolve?: typeof resolveName;
  /** How long a whole request may take; tests set a shorter time. */
  readonly timeoutMs?: number;
}

/** Sends requests to URLs that customers configured. Nothing else may fetch those. */
export function createOutboundHttp(options: OutboundHttpOptions): OutboundHttp {
  const { localMode, resolve = resolveName, timeoutMs = totalTimeoutMs } = options;
  const mayReach: IpRule = localMode ? allowLoopback : isPublicIp;
  // undici's own Agent drops the pool of an origin with its last connection, so idle origins take no memory.
  const agent = new Agent({
    connect: pinnedConnector({ mayReach, resolve, timeoutMs: connectTimeoutMs }),
    // As many connections as requests: endpoints of several stores may share an origin, and none waits for another's.
    // The caller limits the number of concurrent requests.
    connections: null,
    pipelining: 1,
    keepAliveTimeout: seconds(10),
    keepAliveMaxTimeout: seconds(30),
    maxHeaderSize: replyHeadersMax,
    // `post` enforces the total, which includes the wait for a connection that these do not.
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });

  return {
    async findUrlProblem(url, options = {}) {
      const problem = checkUrl(url, { allowHttp: localMode, mayReach });
      if (problem !== undefined || options.resolve === false) return problem;
      const addresses = await resolve(new URL(url).hostname).catch(() => []);
      return addresses.every(({ address }) => mayReach(address)) ? undefined : notPublic;
    },
    async post(url, headers, body, signal) {
      const startedAt = performance.now();
      const durationMs = () => Math.round(performance.now() - startedAt);
      if (checkUrl(url, { allowHttp: localMode, mayReach }) !== undefined) {
        return { kind: 'failed', reason: 'blocked_address', durationMs: durationMs() };
      }
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      const ended = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
      try {
        const response = await inCall('endpoint', 'post', () =>
          request(url, { method: 'POST', headers, body, dispatcher: agent, signal: ended }),
        );
        const status = response.statusCode;
        const text = await readReply(response.body);
        const retryAfterSeconds = retryAfterOf(response.headers);
        return { kind: 'responded', status, body: text, retryAfterSeconds, durationMs: durationMs() };
      } catch (error) {
        if (signal?.aborted) throw error;
        const reason = deadline.signal.aborted ? 'timeout' : reasonOf(error);
        return { kind: 'failed', reason, durationMs: durationMs() } satisfies HttpOutcome;
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

/** The status decides; the body is only shown to people, so that only its beginning is read. */
async function readReply(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop early ends the connection.
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > replyReadMax) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, replyStoredMax);
  // PostgreSQL's text holds every character but this one.
  return new TextDecoder().decode(bytes).replaceAll('\u0000', '\ufffd');
}

/** Parses seconds or a date; anything else is ignored. */
function retryAfterOf(headers: Record<string, string | string[] | undefined>): number | undefined {
  const [value] = [headers['retry-after']].flat();
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  const now = Date.parse([headers['date']].flat()[0] ?? '');
  return Number.isNaN(at) || Number.isNaN(now) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

function reasonOf(error: unknown): HttpFailure {
  for (const cause of causesOf(error)) {
    if (cause instanceof BlockedAddress) return 'blocked_address';
    if (cause instanceof errors.ConnectTimeoutError || cause instanceof errors.HeadersTimeoutError) return 'timeout';
    if (cause instanceof errors.HeadersOverflowError) return 'too_large';
    if (isOfNameServer(cause)) return 'dns';
    const code = codeOf(cause);
    if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)$/.test(code)) return 'connect';
    if (code === 'ETIMEDOUT') return 'timeout';
    if (/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH)/.test(code)) return 'tls';
  }
  return 'reset';
}

/** Its codes are also those of other calls: it can refuse a connection, too. */
function isOfNameServer(error: Error): boolean {
  return 'syscall' in error && typeof error.syscall === 'string' && error.syscall.startsWith('query');
}

import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { codeOf } from './errors.ts';

/** The W3C trace context that is stored with a job. Empty when tracing is off. */
export type TraceCarrier = Record<string, string>;

export interface SpanOptions {
  /** The relation to the parent: a received request, an enqueued job, or a call to another service. */
  readonly kind: 'server' | 'consumer' | 'client';
  /** Names, ids and numbers. Never addresses, secrets or bodies: spans leave the house. */
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** The trace to continue. Default: the active one. */
  readonly parent?: TraceCarrier;
}

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT };

const tracer = trace.getTracer('storefront');

export function currentTrace(): TraceCarrier {
  const carrier: TraceCarrier = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/** Run `work` as a span. Only the kind of an error is recorded: its message may contain personal data. */
export function inSpan<Result>(
  name: string,
  { kind, attributes = {}, parent }: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const within = parent ? propagation.extract(context.active(), parent) : context.active();
  return tracer.startActiveSpan(name, { kind: kinds[kind], attributes }, within, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: kindOf(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Run `work` as a call to a provider. */
export function inCall<Result>(provider: string, operation: string, work: () => Promise<Result>): Promise<Result> {
  return inSpan(
    `${provider} ${operation}`,
    { kind: 'client', attributes: { 'peer.service': provider, 'rpc.method': operation } },
    work,
  );
}

/** Mark the span of a call that returned an error response. */
export function markFailed(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function kindOf(error: unknown): string {
  return error instanceof Error ? codeOf(error) || error.name : 'unknown';
}

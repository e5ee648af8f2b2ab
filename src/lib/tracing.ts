import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** W3C trace context as it travels with a promise. Empty where nobody listens to traces. */
export type TraceCarrier = Record<string, string>;

export interface SpanOptions {
  /** What it is to its parent: a request that came in, a job that was promised, a call to somebody else's machine. */
  readonly kind: 'server' | 'consumer' | 'client';
  /** Names, ids and numbers. Never addresses, secrets or bodies: spans leave the house. */
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** The trace that it continues; the one that is active, unless told. */
  readonly parent?: TraceCarrier;
}

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT };

const tracer = trace.getTracer('storefront');

export function currentTrace(): TraceCarrier {
  const carrier: TraceCarrier = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/** Run `work` as a span. Of an error only its kind is told: its message may repeat what somebody typed. */
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

/** Mark what answered with an error of its own. */
export function markFailed(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

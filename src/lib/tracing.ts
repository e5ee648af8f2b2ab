import { context, propagation, type Span, SpanStatusCode, trace } from '@opentelemetry/api';

/** W3C trace context as it travels with a promise. Empty where nobody listens to traces. */
export type TraceCarrier = Record<string, string>;

export function currentTrace(): TraceCarrier {
  const carrier: TraceCarrier = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/** Run `work` as a span that continues the trace in `carrier`, or the one that is active. */
export function inSpan<Result>(
  name: string,
  attributes: Record<string, string | number>,
  work: (span: Span) => Promise<Result>,
  carrier?: TraceCarrier,
): Promise<Result> {
  const parent = carrier ? propagation.extract(context.active(), carrier) : context.active();
  return trace.getTracer('storefront').startActiveSpan(name, { attributes }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : 'failed' });
      throw error;
    } finally {
      span.end();
    }
  });
}

import { type LoggerOptions, pino } from 'pino';

import { currentCorrelation } from '#src/lib/correlation.ts';
import type { Log } from '#src/lib/log.ts';
import { redact } from '#src/lib/redact.ts';

/**
 * JSON lines on standard output, or on standard error for who prints an answer. Each carries the correlation of the
 * request that caused it. A process that serves does not wait for its lines: they are written together, and at its end.
 */
export function createLogger(options: { level: string; process: string; to?: 'stdout' | 'stderr' }): Log {
  const fields: LoggerOptions = {
    level: options.level,
    base: { process: options.process },
    formatters: { level: (level) => ({ level }), log: redact },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: serializeError },
    mixin() {
      const { requestId, tenant, job } = currentCorrelation() ?? {};
      return { ...(requestId && { request_id: requestId }), ...(tenant && { tenant }), ...(job && { job }) };
    },
  };
  return pino(fields, pino.destination(options.to === 'stderr' ? { dest: 2, sync: true } : { dest: 1, sync: false, ...together }));
}

const together = { minLength: 4096, periodicFlush: 100 };

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  const cause = error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
  return { name, message, code, cause, stack };
}

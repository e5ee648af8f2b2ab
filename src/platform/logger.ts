import { type LoggerOptions, pino } from 'pino';

import { currentCorrelation } from '#src/lib/correlation.ts';
import type { Log } from '#src/lib/log.ts';

/** Fields that never reach a log, wherever they stand in one. */
const secretFields = [
  'authorization', 'cookie', 'password', 'secret', 'token', 'key', 'code', 'email', 'address', 'body', 'payload',
];

/** JSON lines on standard output, or on standard error for who prints an answer. Each carries the correlation of the request that caused it. */
export function createLogger(options: { level: string; process: string; to?: 'stdout' | 'stderr' }): Log {
  const fields: LoggerOptions = {
    level: options.level,
    base: { process: options.process },
    formatters: { level: (level) => ({ level }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[redacted]' },
    serializers: { err: serializeError },
    mixin() {
      const { requestId, tenant, job } = currentCorrelation() ?? {};
      return { ...(requestId && { request_id: requestId }), ...(tenant && { tenant }), ...(job && { job }) };
    },
  };
  return pino(fields, pino.destination({ dest: options.to === 'stderr' ? 2 : 1, sync: true }));
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  const cause = error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
  return { name, message, code, cause, stack };
}

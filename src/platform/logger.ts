import { type DestinationStream, type LoggerOptions, pino } from 'pino';

import { currentCorrelation } from '#src/lib/correlation.ts';
import type { Log } from '#src/lib/log.ts';
import { redact } from '#src/lib/redact.ts';

/**
 * Log JSON lines to standard output, or to standard error for commands that print a result. Each has the correlation of
 * the request that caused it. A serving process does not wait for its lines: they are written in batches and at its
 * end.
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
  return pino(
    fields,
    options.to === 'stderr' ? pino.destination({ dest: 2, sync: true }) : inBundles(writeInBackground()),
  );
}

/** Characters that wait for whoever reads the output. Further lines are dropped, so that the process keeps its memory. */
const unreadMax = 16_000_000;

/** A process serves also while its lines cannot be written, as on a full disk: they wait like those that are not read. */
function writeInBackground(): BackgroundWriter {
  const writer = pino.destination({ dest: 1, sync: false, maxLength: unreadMax, minLength: 1 });
  const { flushSync } = writer;
  // At the process's end, it would try again for ever.
  writer.on('error', () => Object.assign(writer, { flushSync: () => undefined }));
  writer.on('write', () => Object.assign(writer, { flushSync }));
  return writer;
}

const bundleLength = 8192;
const bundleMs = 100;

type BackgroundWriter = DestinationStream & { flush(written?: () => void): void };

/**
 * Hands on many lines as one text, and the last at the process's end: a writer works longer on a short line than it
 * took to make it.
 */
function inBundles(writer: BackgroundWriter): BackgroundWriter {
  let lines = '';
  const handOn = () => {
    if (lines !== '') writer.write(lines);
    lines = '';
  };
  setInterval(handOn, bundleMs).unref();
  // Registered before the writer, which flushes on the same event.
  process.prependListener('beforeExit', handOn);
  process.prependListener('exit', handOn);
  return {
    write(line) {
      lines += line;
      if (lines.length >= bundleLength) handOn();
    },
    flush(written) {
      handOn();
      writer.flush(written);
    },
  };
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  const cause = error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
  return { name, message, code, cause, stack };
}
